{# How many released rows each target's may be.
   grain: one row per target
   in: judged_matches_<steps>, judged_tuple_steps, judged_cell_steps(id), steps
   out: (id, how often it was drawn, rows) #}
SELECT c.id, c.n, CAST(COALESCE(MAX(f.n), 0) AS BIGINT) AS fitting
FROM judged_cell_steps AS c
LEFT JOIN (
    SELECT m.cell, SUM(t.n) AS n
    FROM judged_matches_{{ steps | integer }} AS m
    JOIN judged_tuple_steps AS t ON t.p{{ steps | integer }} = m.tuple
    GROUP BY m.cell
) AS f ON f.cell = c.p{{ steps | integer }}
GROUP BY c.id, c.n
ORDER BY c.id
