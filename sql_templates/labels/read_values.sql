{# The values of a column that were read in one way, to be read in all ways.
   grain: one row per value
   in: shape (the way's number), the tables labels_values and labels_meanings
   out: table labels_asked(id, label, listed, lo, hi) #}
CREATE OR REPLACE TABLE labels_asked AS
SELECT v.id, v.label, v.listed, v.lo, v.hi
FROM labels_values AS v
WHERE v.id IN (SELECT m.id FROM labels_meanings AS m WHERE m.shape = {{ shape | integer }})
