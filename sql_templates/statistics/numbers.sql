{# What is counted of every cell.
   grain: one row per cell, in the order of their numbers
   in: cells, columns
   out: the columns #}
SELECT {{ columns | listed('CAST(t.@ AS BIGINT) AS @') }}
FROM cells AS t
ORDER BY t.cell
