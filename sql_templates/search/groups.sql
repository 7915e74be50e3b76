{# grain: one row per node of a table of frequency sets
   in: table
   out: (node, rows of its frequency set) #}
SELECT f.node, COUNT(*) AS size FROM {{ table | ident }} AS f GROUP BY f.node
