{# Where the coming ledger is not what it must be, row by row.
   grain: one row
   in: trace_rows
   out: (rows that the coming ledger lost, has twice, says to be released and are not, is silent about
       although they are released, has other values of) #}
SELECT
    CAST(COALESCE(SUM(CASE WHEN r.times = 0 AND NOT r.shown THEN 1 ELSE 0 END), 0) AS BIGINT)
        AS lost,
    CAST(COALESCE(SUM(CASE WHEN r.times > 1 THEN 1 ELSE 0 END), 0) AS BIGINT) AS twice,
    CAST(COALESCE(SUM(CASE WHEN r.released AND NOT r.shown THEN 1 ELSE 0 END), 0) AS BIGINT)
        AS absent,
    CAST(COALESCE(SUM(CASE WHEN r.shown AND NOT r.released THEN 1 ELSE 0 END), 0) AS BIGINT)
        AS silent,
    CAST(COALESCE(SUM(CASE WHEN NOT r.same THEN 1 ELSE 0 END), 0) AS BIGINT) AS other
FROM trace_rows AS r
