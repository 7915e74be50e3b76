{# grain: one row
   in: table (released rows)
   out: how many rows it has #}
SELECT CAST(COUNT(*) AS BIGINT) AS n FROM {{ table | ident }} AS r
