{# The mean or median of the values of all rows that are released alike, whatever their groups: NULLs
   are left out. Sums are exact, so that it does not matter in which order they are made.
   grain: one row per group
   in: what release/grouped takes, groups (grp, v<i>, lo<i>, hi<i>), averaged (released columns)
   out: a SELECT of (grp, a<position> of the averaged) #}
WITH classes AS (
    SELECT
        x.grp,
        MIN(x.grp) OVER (PARTITION BY
        {% for a in attributes %}
            x.v#{% if a.bounds_type %}, x.lo#, x.hi#{% endif %}{% if not loop.last %},{% endif +%}
        {% endfor %}
        ) AS class
    FROM groups AS x
),
valued AS (
    SELECT
    {% for r in averaged %}
        o.r{{ r.position | integer }},
        {% if r.kind == 'median' %}
        ROW_NUMBER() OVER (PARTITION BY z.class ORDER BY o.r{{ r.position | integer }} NULLS LAST)
            AS place{{ r.position | integer }},
        COUNT(o.r{{ r.position | integer }}) OVER (PARTITION BY z.class)
            AS many{{ r.position | integer }},
        {% endif %}
    {% endfor %}
        z.class
    {% include 'release/grouped.sql' %}
    JOIN classes AS z ON z.grp = p.grp
),
middle AS (
    SELECT
    {% for r in averaged %}
        {% if r.kind == 'median' %}
        CASE
            WHEN 2 * v.place{{ r.position | integer }} BETWEEN v.many{{ r.position | integer }}
                AND v.many{{ r.position | integer }} + 2
            THEN v.r{{ r.position | integer }}
        END AS r{{ r.position | integer }},
        {% else %}
        v.r{{ r.position | integer }},
        {% endif %}
    {% endfor %}
        v.class
    FROM valued AS v
),
means AS (
    SELECT
    {% for r in averaged %}
        CAST(SUM(CAST(m.r{{ r.position | integer }} AS DECIMAL(38, {{ r.column.scale | integer }})))
            AS DOUBLE)
            / CAST(NULLIF(COUNT(m.r{{ r.position | integer }}), 0) AS DOUBLE)
            AS a{{ r.position | integer }},
    {% endfor %}
        m.class
    FROM middle AS m
    GROUP BY m.class
)
SELECT
    z.grp
{% for r in averaged %}
    , y.a{{ r.position | integer }}
{% endfor %}
FROM classes AS z
JOIN means AS y ON y.class = z.class
