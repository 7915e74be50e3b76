{# The rows that are released, with their new numbers. Ids are in a random order already.
   grain: one row per released row
   in: table (its number), missing and node (see relational/search/missing), rows_<number>
   out: a SELECT of (id, surrogate: 1 … n) #}
SELECT r.id, CAST(ROW_NUMBER() OVER (ORDER BY r.id NULLS LAST) AS BIGINT) AS surrogate
FROM {{ ('rows_' ~ table.number) | ident }} AS r
LEFT JOIN {{ missing | ident }} AS m ON m.id = r.id AND m.node = {{ node | integer }}
WHERE m.id IS NULL
