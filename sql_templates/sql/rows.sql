{# How many rows a table has.
   grain: one row
   in: table
   out: (rows) #}
SELECT COUNT(*) AS n FROM {{ table | ident }} AS t
