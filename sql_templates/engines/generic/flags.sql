{# grain: one row
   in: table, columns (of type TINYINT(1))
   out: for each column, how many values are neither 0 nor 1 #}
SELECT
    {{ columns | listed('COUNT(CASE WHEN s.@ NOT IN (0, 1) THEN 1 END)') }}
FROM {{ table | ident }} AS s
