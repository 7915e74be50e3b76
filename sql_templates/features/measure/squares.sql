{# The discernibility penalty of groups (C_DM): the sum of their squared sizes.
   grain: one row
   in: table (released rows), group (the column that numbers the groups)
   out: (sum) #}
SELECT CAST(SUM(g.n * g.n) AS BIGINT) AS squares
FROM (
    SELECT CAST(COUNT(*) AS BIGINT) AS n
    FROM {{ table | ident }} AS r
    GROUP BY r.{{ group | ident }}
) AS g
