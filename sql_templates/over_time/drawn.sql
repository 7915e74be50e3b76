{# The rows that are held back from parts that can spare them: by their keyed hashes, so that to
   anybody without the ledger's secret nothing but chance tells them from the others of their parts.
   grain: one row per row
   in: traced, parts
   out: table drawn(h) #}
CREATE TABLE drawn AS
SELECT t.h
FROM (
    SELECT
        u.h, p.drawn,
        ROW_NUMBER() OVER (PARTITION BY u.trace, u.part ORDER BY u.h NULLS FIRST) AS place
    FROM traced AS u
    JOIN parts AS p ON p.trace = u.trace AND p.part = u.part
    WHERE p.drawn > 0 AND NOT p.out
) AS t
WHERE t.place <= t.drawn
