{# Between which values the rows of the source lie, but for the fewer than k at either end.
   grain: one row
   in: a (coded column), seen_<index>, k
   out: (least value that k rows do not exceed, greatest that k rows reach, different values); dates
       and times in days #}
WITH numbered AS (
    SELECT
        {% with value = ['s', 'value'] %}{% include 'privacy/number.sql' %}{% endwith %} AS x,
        s.source AS n
    FROM seen_# AS s
    WHERE s.source > 0
),
summed AS (
    SELECT n.x, SUM(n.n) AS n FROM numbered AS n WHERE n.x IS NOT NULL GROUP BY n.x
),
ranked AS (
    SELECT
        m.x,
        SUM(m.n) OVER (ORDER BY m.x NULLS FIRST ROWS UNBOUNDED PRECEDING) AS below,
        SUM(m.n) OVER (ORDER BY m.x DESC NULLS LAST ROWS UNBOUNDED PRECEDING) AS above
    FROM summed AS m
)
SELECT
    MIN(CASE WHEN r.below >= {{ k | integer }} THEN r.x END) AS least,
    MAX(CASE WHEN r.above >= {{ k | integer }} THEN r.x END) AS greatest,
    COUNT(*) AS distinct_values
FROM ranked AS r
