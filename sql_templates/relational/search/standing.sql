{# The rows of a table with their classes.
   grain: one row per row
   in: table (its number), rows_<number>, classes_<number>
   out: a SELECT of (id, parent, person, class) #}
SELECT r.id, r.parent, r.person, c.class
FROM {{ ('rows_' ~ table.number) | ident }} AS r
JOIN {{ ('classes_' ~ table.number) | ident }} AS c ON c.cell = r.cell
