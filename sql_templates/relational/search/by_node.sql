{# How many rows of a table that do not stay there are at each node.
   grain: one row per node
   in: table (see relational/search/missing)
   out: (node, rows) #}
SELECT m.node, COUNT(*) AS n FROM {{ table | ident }} AS m GROUP BY m.node
