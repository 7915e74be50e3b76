{# How many pairs of released tuples and combinations of the source there are, whatever agrees.
   grain: one row
   in: judged_tuples, judged_cells
   out: (pairs) #}
SELECT t.n * c.n AS pairs
FROM (SELECT COUNT(*) AS n FROM judged_tuples) AS t
CROSS JOIN (SELECT COUNT(*) AS n FROM judged_cells) AS c
