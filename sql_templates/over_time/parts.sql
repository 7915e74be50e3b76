{# The parts before anything is decided: all their rows are to be released, but those of classes
   that may not be.
   grain: one row per trace and class
   in: traced, refused(class) where the whole class may not be released
   out: table parts(trace, part, n: rows, out: whether it is held back, drawn: rows of it that
       are) #}
CREATE TABLE parts AS
SELECT
    t.trace, t.part, CAST(COUNT(*) AS BIGINT) AS n,
    MAX(r.class) IS NOT NULL AS out,
    CAST(0 AS BIGINT) AS drawn
FROM traced AS t
LEFT JOIN refused AS r ON r.class = t.part
WHERE t.part <> 0
GROUP BY t.trace, t.part
