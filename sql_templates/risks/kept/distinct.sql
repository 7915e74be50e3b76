{# grain: one row
   in: relation, columns
   out: the number of distinct values of each column, NULL left aside #}
SELECT
    {{ columns | listed('COUNT(DISTINCT CAST(s.@ AS VARCHAR))') }}
FROM {{ relation | ident }} AS s
