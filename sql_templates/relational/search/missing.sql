{# The rows of a table that do not stay.
   grain: one row per such row
   in: table (its number), rows_<number>, standing_<number>
   out: a SELECT of (id) #}
SELECT r.id
FROM {{ ('rows_' ~ table.number) | ident }} AS r
LEFT JOIN {{ ('standing_' ~ table.number) | ident }} AS t ON t.id = r.id
WHERE t.id IS NULL
