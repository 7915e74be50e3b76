{# grain: one row per region
   in: table (of cells: part, n)
   out: (part, rows) in the order of the parts #}
SELECT m.part, CAST(SUM(m.n) AS BIGINT) AS n
FROM {{ table | ident }} AS m
GROUP BY m.part
ORDER BY m.part
