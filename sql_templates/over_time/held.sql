{# The rows of the source that are held back.
   grain: one row per row
   in: traced, parts, drawn
   out: table held(h, k) #}
CREATE TABLE held AS
SELECT t.h, t.k
FROM traced AS t
LEFT JOIN parts AS p ON p.trace = t.trace AND p.part = t.part
LEFT JOIN drawn AS d ON d.h = t.h
WHERE t.part = 0 OR p.out OR d.h IS NOT NULL
