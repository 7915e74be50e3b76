{# grain: one row
   in: table
   out: how many rows it has #}
SELECT COUNT(*) AS n FROM {{ table | ident }} AS r
