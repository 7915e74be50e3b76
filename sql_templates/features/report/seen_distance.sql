{# The Wasserstein distance of a column's distributions in source and release: how far the rows'
   values would have to move, on average, for one to become the other.
   grain: one row
   in: a (coded column), seen_<index>
   out: (distance; of dates and times in days), NULL where one of them has no number #}
WITH numbered AS (
    SELECT
        {% with value = ['s', 'value'] %}{% include 'privacy/number.sql' %}{% endwith %} AS x,
        s.source, s.released
    FROM seen_# AS s
),
summed AS (
    SELECT n.x, SUM(n.source) AS source, SUM(n.released) AS released
    FROM numbered AS n
    WHERE n.x IS NOT NULL
    GROUP BY n.x
),
totals AS (
    SELECT SUM(m.source) AS source, SUM(m.released) AS released FROM summed AS m
),
ranked AS (
    SELECT
        m.x,
        LEAD(m.x) OVER (ORDER BY m.x NULLS FIRST) AS further,
        CAST(SUM(m.source) OVER (ORDER BY m.x NULLS FIRST ROWS UNBOUNDED PRECEDING) AS DOUBLE)
            / CAST(t.source AS DOUBLE) AS of_source,
        SUM(m.released) OVER (ORDER BY m.x NULLS FIRST ROWS UNBOUNDED PRECEDING)
            / t.released AS of_release
    FROM summed AS m
    JOIN totals AS t ON t.source > 0 AND t.released > 0
)
SELECT
    CASE WHEN COUNT(*) > 0
        THEN COALESCE(SUM(ABS(r.of_source - r.of_release) * (r.further - r.x)), 0) END AS distance
FROM ranked AS r
