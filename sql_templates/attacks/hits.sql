{# How many rows satisfy each predicate.
   grain: one row per predicate that a row satisfies
   in: judged_matches_<steps>, judged_tuple_steps, judged_cell_steps, steps
   out: (id, rows) #}
SELECT t.id, CAST(SUM(c.n) AS BIGINT) AS n
FROM judged_matches_{{ steps | integer }} AS m
JOIN judged_tuple_steps AS t ON t.p{{ steps | integer }} = m.tuple
JOIN judged_cell_steps AS c ON c.p{{ steps | integer }} = m.cell
GROUP BY t.id
ORDER BY t.id
