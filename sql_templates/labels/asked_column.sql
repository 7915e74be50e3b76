{# The released values of a column, to be read in all ways.
   grain: one row per value with its bounds
   in: column (its number), the table labels_values
   out: table labels_asked(id, label, listed, lo, hi) #}
CREATE OR REPLACE TABLE labels_asked AS
SELECT v.id, v.label, v.listed, v.lo, v.hi
FROM labels_values AS v
WHERE v.col = {{ column | integer }}
