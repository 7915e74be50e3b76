{# The source generalized as it is to be released, by labels and values alone, nothing suppressed.
   grain: one row per distinct released row and coded values
   in: source, attributes, coded, released (see release/rows), dim_<index>, levels
   out: a SELECT of (r<position> …, q<index> …, n) #}
WITH generalized AS (
    SELECT
    {% for r in released %}
        {% if r.kind == 'kept' %}
        {% with value = ['o', r.column.name] %}{% include 'verification/compared.sql' %}{% endwith
            %} AS r{{ r.position | integer }}{% if coded or not loop.last %},{% endif +%}
        {% elif r.kind == 'label' %}
        {% with a = r.attribute, side = 'o', level = levels[r.attribute.index] %}{% include
            'verification/label.sql' %}{% endwith %} AS r{{ r.position | integer }}{% if coded or
                not loop.last %},{% endif +%}
        {% else %}
        {% with value = ['h' ~ r.attribute.index, r.kind ~ levels[r.attribute.index]] %}{% include
            'verification/compared.sql' %}{% endwith %} AS r{{ r.position | integer }}{% if coded or
                not loop.last %},{% endif +%}
        {% endif %}
    {% endfor %}
    {% for a in coded %}
        {% with side = 'o' %}{% include 'star/value.sql' %}{% endwith %} AS q{{ a.index | integer
            }}{% if not loop.last %},{% endif +%}
    {% endfor %}
    FROM {{ source | ident }} AS o
    {% for a in attributes %}
    LEFT JOIN dim_{{ a.index | integer }} AS h{{ a.index | integer }}
        ON {% with side = 'o' %}{% include 'star/value.sql' %}{% endwith %} = h{{ a.index | integer
            }}.value
    {% endfor %}
)
SELECT g.*, CAST(COUNT(*) AS BIGINT) AS n
FROM generalized AS g
GROUP BY {% for r in released %}g.r{{ r.position | integer }}{% if coded or not loop.last
    %}, {% endif %}{% endfor %}{% for a in coded %}g.q{{ a.index | integer }}{% if not loop.last
        %}, {% endif %}{% endfor +%}
