{# Where the coming ledger is not what it must be, row by row.
   grain: one row
   in: trace_rows, ledger_rows, ledger_next, shown_rows
   out: (rows of the present ledger that the coming one lacks, rows that it has twice, rows that it
       says to be released and are not, rows that are released and that it does not say so of, rows
       that it has other values of) #}
SELECT
    (SELECT COUNT(*) FROM ledger_rows AS l) - r.known AS lost,
    (SELECT COUNT(*) - COUNT(DISTINCT n.h) FROM ledger_next AS n) AS twice,
    r.absent,
    (SELECT COUNT(*) FROM shown_rows AS s) - r.told AS silent,
    r.other
FROM (
    SELECT
        CAST(COALESCE(SUM(CASE WHEN t.own_then <> 0 THEN 1 ELSE 0 END), 0) AS BIGINT) AS known,
        CAST(COALESCE(SUM(CASE WHEN t.released AND NOT t.shown THEN 1 ELSE 0 END), 0) AS BIGINT)
            AS absent,
        CAST(COALESCE(SUM(CASE WHEN t.released AND t.shown THEN 1 ELSE 0 END), 0) AS BIGINT)
            AS told,
        CAST(COALESCE(SUM(CASE WHEN NOT t.same THEN 1 ELSE 0 END), 0) AS BIGINT) AS other
    FROM trace_rows AS t
) AS r
