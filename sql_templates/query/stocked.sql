{# The values of a column that lie in buckets, as far as they are few.
   grain: one row per value
   in: c (queried column), stock_<index>, domain_<index>, most (how many values, at most)
   out: (value, cells) #}
SELECT d.value, CAST(SUM(s.n) AS BIGINT) AS n
FROM stock_{{ c.index | integer }} AS s
JOIN domain_{{ c.index | integer }} AS d ON d.code = s.code
GROUP BY d.value
ORDER BY d.value NULLS FIRST
LIMIT {{ most | integer }}
