{# What the values lost that too few rows have to be named, by column.
   grain: one row per column that has such values
   in: left_out_counts(number, value, n, lost), least (rows of the source that a value is named
       from)
   out: (number, values, rows of the source, suppressed ones) #}
SELECT
    c.number,
    COUNT(*) AS different,
    CAST(SUM(c.n) AS BIGINT) AS n,
    CAST(SUM(c.lost) AS BIGINT) AS lost
FROM left_out_counts AS c
WHERE c.n < {{ least | integer }}
GROUP BY c.number
ORDER BY c.number
