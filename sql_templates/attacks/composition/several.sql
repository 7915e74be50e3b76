{# The source's rows that may be in several classes of a release.
   grain: one row
   in: judged_cell_steps, judged_matches_<steps>, judged_tuple_steps, steps
   out: (rows) #}
SELECT CAST(COALESCE(SUM(c.n), 0) AS BIGINT) AS n
FROM judged_cell_steps AS c
JOIN (
    SELECT m.cell
    FROM judged_matches_{{ steps | integer }} AS m
    JOIN judged_tuple_steps AS t ON t.p{{ steps | integer }} = m.tuple
    GROUP BY m.cell
    HAVING COUNT(*) > 1
) AS s ON s.cell = c.p{{ steps | integer }}
