{# The values of a column that were read in one way.
   grain: one row per value
   in: shape (the way's number), the tables labels_values and labels_meanings
   out: (id, label, listed, lo, hi) #}
SELECT v.id, v.label, v.listed, v.lo, v.hi
FROM labels_values AS v
WHERE v.id IN (SELECT m.id FROM labels_meanings AS m WHERE m.shape = {{ shape | integer }})
