{# How much of the ledger the source has.
   grain: one row
   in: remembered, missing
   out: (rows that were released before, those of them that the source has not any more) #}
SELECT
    (SELECT COUNT(*) FROM remembered AS r) AS before,
    (SELECT COUNT(*) FROM missing AS m) AS gone
