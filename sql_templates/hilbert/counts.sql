{# grain: one row per cell, along the curve
   in: line
   out: its rows #}
SELECT l.last - l.first + 1 AS n
FROM line AS l
ORDER BY l.cell
