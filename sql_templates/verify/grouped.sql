{# Where the release is not the source with each row's values replaced by those of its cell's group, as multisets of whole
   rows.
   grain: one row
   in: what release/placed takes, assigned, groups, table, masked
   out: (distinct rows whose number differs, by how many rows in all) #}
WITH expected AS (
    SELECT
    {% for r in released %}
        {% if r.kind == 'kept' %}
        {% if masked and r.hidden %}CASE WHEN x.grp IS NOT NULL THEN {% endif %}{% if not r.column.comparable %}CAST(o.r{{ r.position | integer }} AS VARCHAR){% else %}o.r{{ r.position | integer }}{% endif %}{% if masked and r.hidden %} END{% endif %} AS r{{ r.position | integer }},
        {% elif r.kind == 'label' and masked %}
        CASE WHEN x.grp IS NULL THEN '*' ELSE x.v{{ r.attribute.index | integer }} END AS r{{ r.position | integer }},
        {% elif r.kind == 'label' %}
        x.v{{ r.attribute.index | integer }} AS r{{ r.position | integer }},
        {% else %}
        x.{{ (r.kind ~ r.attribute.index) | ident }} AS r{{ r.position | integer }},
        {% endif %}
    {% endfor %}
        1 AS copies
    FROM (
        {% include 'release/placed.sql' %}
    ) AS o
    LEFT JOIN assigned AS p
        ON {% for a in attributes %}p.c{{ a.index | integer }} = o.c{{ a.index | integer }}{% if not loop.last %} AND {% endif %}{% endfor +%}
    {% if split %}
        AND p.first <= o.place AND p.last >= o.place
    {% endif %}
    LEFT JOIN groups AS x ON x.grp = p.grp
    {% if not masked %}
    WHERE x.grp IS NOT NULL
    {% endif %}
),
both_sides AS (
    SELECT e.* FROM expected AS e
    UNION ALL
    SELECT
    {% for r in released %}
        {% if r.column.comparable or r.kind != 'kept' %}p.{{ r.name | ident }}{% else %}CAST(p.{{ r.name | ident }} AS VARCHAR){% endif %},
    {% endfor %}
        -1
    FROM {{ table | ident }} AS p
)
SELECT COUNT(*) AS different, CAST(COALESCE(SUM(ABS(d.surplus)), 0) AS BIGINT) AS by_rows
FROM (
    SELECT SUM(b.copies) AS surplus
    FROM both_sides AS b
    GROUP BY {% for r in released %}b.r{{ loop.index | integer }}{% if not loop.last %}, {% endif %}{% endfor +%}
    HAVING SUM(b.copies) <> 0
) AS d
