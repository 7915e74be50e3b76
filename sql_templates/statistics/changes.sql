{# What values were changed to.
   grain: one row per cell, in the order of their numbers
   in: changed, columns
   out: the columns #}
SELECT {{ columns | listed('CAST(t.@ AS BIGINT) AS @') }}
FROM changed AS t
ORDER BY t.cell
