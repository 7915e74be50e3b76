{# Where the release is not the source with each row's values replaced by those of its cell's group,
   as multisets of whole rows.
   grain: one row
   in: what verification/coded takes, or placed when split, assigned, groups, table, masked
   out: (distinct rows whose number differs, by how many rows in all) #}
{% from 'verification/macros.sql' import compared, expected %}
WITH expected AS (
    SELECT
    {% for r in released %}
        {% if r.kind == 'kept' %}
        {% if masked and r.hidden %}CASE WHEN x.grp IS NOT NULL THEN{% endif +%}
            {{ expected(r, ['o', 'r' ~ r.position]) }}
        {% if masked and r.hidden %}END{% endif %} AS r{{ r.position | integer }},
        {% elif r.kind == 'label' and masked %}
        CASE WHEN x.grp IS NULL THEN '*' ELSE x.v{{ r.attribute.index | integer }} END
            AS r{{ r.position | integer }},
        {% elif r.kind == 'label' %}
        x.v{{ r.attribute.index | integer }} AS r{{ r.position | integer }},
        {% else %}
        {{ compared(r, ['x', r.kind ~ r.attribute.index]) }} AS r{{ r.position | integer }},
        {% endif %}
    {% endfor %}
        1 AS n
    FROM {% if split %}placed{% else %}(
        {% with judged = () %}{% include 'verification/coded.sql' %}{% endwith +%}
    ){% endif %} AS o
    LEFT JOIN assigned AS p
        ON {{ attributes | each('p.c# = o.c#', ' AND ') }}
    {{ valued | each('AND p.x# = o.x#') }}
    {% if split %}
        AND p.first <= o.place AND p.last >= o.place
    {% endif %}
    LEFT JOIN groups AS x ON x.grp = p.grp
    {% if not masked %}
    WHERE x.grp IS NOT NULL
    {% endif %}
),
{% include 'verification/surplus.sql' %}
