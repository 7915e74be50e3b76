{# How many pairs of targets and people there are whose released rows the target's may be.
   grain: one row
   in: attacked_part_owners, judged_matches_<steps>, judged_tuple_steps, judged_cell_steps, steps
   out: (pairs) #}
SELECT CAST(COALESCE(SUM(o.n), 0) AS BIGINT) AS n
FROM judged_cell_steps AS c
JOIN judged_matches_{{ steps | integer }} AS m ON m.cell = c.p{{ steps | integer }}
JOIN judged_tuple_steps AS t ON t.p{{ steps | integer }} = m.tuple
JOIN (SELECT p.id, COUNT(*) AS n FROM attacked_part_owners AS p GROUP BY p.id) AS o ON o.id = t.id
