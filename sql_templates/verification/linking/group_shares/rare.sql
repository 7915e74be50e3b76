{# What is released of the values that too few rows have to be named, by column.
   grain: one row per column in which such values lost rows
   in: group_shares, least (rows of the source that a value is named from)
   out: (number, values, rows of the source, released at least, released at most) #}
SELECT
    g.number,
    COUNT(*) AS different,
    CAST(SUM(g.n) AS BIGINT) AS n,
    CAST(SUM(g.least) AS BIGINT) AS least,
    CAST(SUM(g.most) AS BIGINT) AS most
FROM group_shares AS g
WHERE g.n < {{ least | integer }} AND g.most < g.n
GROUP BY g.number
ORDER BY g.number
