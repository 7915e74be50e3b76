{# The source generalized as it is to be released, by labels and values alone, nothing suppressed.
   grain: one row per distinct released row and coded values
   in: source, attributes, coded, released (see release/rows), dim_<index>, levels
   out: a SELECT of (r<position> …, q<index> …, n) #}
{% from 'verification/macros.sql' import compared, expected %}
WITH generalized AS (
    SELECT
    {% for r in released %}
        {% if r.kind == 'kept' %}
        {{ expected(r, ['o', r.column.name]) }}
        {% elif r.kind == 'label' %}
        {% with a = r.attribute, side = 'o', level = levels[r.attribute.index] %}
        {% include 'verification/label.sql' %}
        {% endwith %}
        {% else %}
        {{ compared(r, ['h' ~ r.attribute.index, r.kind ~ levels[r.attribute.index]]) }}
        {% endif %}
        AS r{{ r.position | integer }}{% if coded or not loop.last %},{% endif +%}
    {% endfor %}
        {{ coded | listed('@(o) AS q#') }}
    FROM {{ source | ident }} AS o
    {% for a in attributes %}
    LEFT JOIN dim_# AS h#
        ON {{ a | value('o') }} = h#.value
    {% endfor %}
)
SELECT g.*, CAST(COUNT(*) AS BIGINT) AS n
FROM generalized AS g
GROUP BY
    {{ released | listed('g.r#') }}
    {{ coded | each(', g.q#') }}
