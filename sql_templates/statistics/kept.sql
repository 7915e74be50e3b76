{# The cells that are published of those that were counted, with new numbers.
   grain: one row per cell
   in: all_cells, kept (cell, number), attributes
   out: table cells(cell: the number, v, c<index>) #}
CREATE TABLE cells AS
SELECT k.number AS cell, {{ attributes | each('t.c#,') }} t.v
FROM all_cells AS t
JOIN kept AS k ON k.cell = t.cell
