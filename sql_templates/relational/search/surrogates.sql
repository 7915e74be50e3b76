{# The rows that are released, with their new numbers. Ids are in a random order already.
   grain: one row per released row
   in: table (its number), standing_<number>
   out: a SELECT of (id, surrogate: 1 … n) #}
SELECT t.id, CAST(ROW_NUMBER() OVER (ORDER BY t.id NULLS LAST) AS BIGINT) AS surrogate
FROM {{ ('standing_' ~ table.number) | ident }} AS t
