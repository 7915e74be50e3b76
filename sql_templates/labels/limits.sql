{# The bounds of released values that have any.
   grain: one row per value
   in: into (a table), labels_asked
   out: the table (label: the value's id, lo, hi) #}
CREATE OR REPLACE TABLE {{ into | ident }} AS
SELECT a.id AS label, a.lo, a.hi
FROM labels_asked AS a
WHERE a.lo IS NOT NULL OR a.hi IS NOT NULL
