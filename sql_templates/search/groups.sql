{# grain: one row per node of a table of frequency sets
   in: table
   out: (node, rows of its frequency set, rows of the source in them) #}
SELECT f.node, COUNT(*) AS size, CAST(SUM(f.n) AS BIGINT) AS n
FROM {{ table | ident }} AS f
GROUP BY f.node
