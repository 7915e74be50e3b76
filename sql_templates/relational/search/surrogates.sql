{# The rows that are released, with their new numbers. Ids are in a random order already.
   grain: one row per released row
   in: table (its number), missing (a table of the ids of rows that do not stay), rows_<number>
   out: a SELECT of (id, surrogate: 1 … n) #}
SELECT r.id, CAST(ROW_NUMBER() OVER (ORDER BY r.id NULLS LAST) AS BIGINT) AS surrogate
FROM {{ ('rows_' ~ table.number) | ident }} AS r
LEFT JOIN {{ missing | ident }} AS m ON m.id = r.id
WHERE m.id IS NULL
