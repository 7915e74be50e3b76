{# What is known of the source's rows altogether.
   grain: one row
   in: together_groups, together_parts
   out: (rows of the source, rows whose classes are known) #}
SELECT
    (SELECT CAST(COALESCE(SUM(g.n), 0) AS BIGINT) FROM together_groups AS g) AS n,
    (SELECT CAST(COALESCE(SUM(p.size), 0) AS BIGINT) FROM together_parts AS p) AS known
