{# grain: one row
   in: table (of cells)
   out: their rows #}
SELECT CAST(COALESCE(SUM(t.n), 0) AS BIGINT) AS total
FROM {{ table | ident }} AS t
