{# How much of the ledger the source has.
   grain: one row
   in: remembered, traced
   out: (rows that were released before, those of them that the source has) #}
SELECT COUNT(*) AS before, COUNT(t.h) AS still
FROM remembered AS r
LEFT JOIN traced AS t ON t.h = r.h
