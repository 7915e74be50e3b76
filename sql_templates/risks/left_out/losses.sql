{# What values lost: of some columns each time the values that lost the greatest shares of their
   rows, of those that enough rows have; and what the values lost that too few rows have to be
   named, by column.
   grain: one row per list and value, the greatest share first; one per column with values that are
       not named, in list 0
   in: left_out_counts(number, value, n, lost), lists [(number of the list, numbers of its columns,
       rows that a value has in the source at least, values at most)], least (rows of the source
       that a value is named from)
   out: (list, number, value, values, rows of the source, suppressed ones) #}
SELECT t.list, t.number, t.value, t.different, t.n, t.lost
FROM (
    {% for list, numbers, rows, most in lists %}
    SELECT {{ list | integer }} AS list, m.number, m.value, 1 AS different, m.n, m.lost
    FROM (
        SELECT c.number, c.value, c.n, c.lost
        FROM left_out_counts AS c
        WHERE c.n >= {{ rows | integer }} AND c.number IN ({{ numbers | listed('#') }})
        ORDER BY CAST(c.lost AS DOUBLE) / c.n DESC, c.lost DESC, c.number, c.value NULLS FIRST
        LIMIT {{ most | integer }}
    ) AS m
    UNION ALL
    {% endfor %}
    SELECT
        0 AS list,
        c.number,
        CAST(NULL AS VARCHAR) AS value,
        COUNT(*) AS different,
        CAST(SUM(c.n) AS BIGINT) AS n,
        CAST(SUM(c.lost) AS BIGINT) AS lost
    FROM left_out_counts AS c
    WHERE c.n < {{ least | integer }}
    GROUP BY c.number
) AS t
ORDER BY t.list, CAST(t.lost AS DOUBLE) / t.n DESC, t.lost DESC, t.number, t.value NULLS FIRST
