{# How many pairs of sets of released rows and rows of the source that fit one there are.
   grain: one row
   in: attacked_sets(id, tuple), judged_matches_<steps>, judged_tuple_steps, judged_cell_steps, steps
   out: (pairs) #}
SELECT CAST(COALESCE(SUM(k.n), 0) AS BIGINT) AS n
FROM attacked_sets AS s
JOIN judged_tuple_steps AS t ON t.id = s.tuple
JOIN (
    SELECT m.tuple, COUNT(*) AS n
    FROM judged_matches_{{ steps | integer }} AS m
    JOIN judged_cell_steps AS c ON c.p{{ steps | integer }} = m.cell
    GROUP BY m.tuple
) AS k ON k.tuple = t.p{{ steps | integer }}
