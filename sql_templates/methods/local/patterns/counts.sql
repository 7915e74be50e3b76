{# grain: one row per pattern
   in: combinations
   out: (pattern, rows) #}
SELECT t.pattern, CAST(SUM(t.n) AS BIGINT) AS n
FROM combinations AS t
GROUP BY t.pattern
ORDER BY t.pattern
