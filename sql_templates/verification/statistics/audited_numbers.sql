{# Numbers of the audited cells.
   grain: one row per cell, in the order of their numbers
   in: audited, columns
   out: the columns #}
SELECT {{ columns | listed('CAST(t.@ AS BIGINT) AS @') }}
FROM audited AS t
ORDER BY t.cell
