{# in: table
   out: how many rows it has #}
SELECT COUNT(*) AS total
FROM {{ table | ident }} AS t
