{# grain: one row
   in: table (with n)
   out: the rows that it counts #}
SELECT CAST(COALESCE(SUM(t.n), 0) AS BIGINT) AS n
FROM {{ table | ident }} AS t
