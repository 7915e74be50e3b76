{# The values of a sensitive column by released tuple.
   grain: one row per tuple and value
   in: judged_rows(v<i>, y<j>, masked, n), judged_tuple_steps(p<steps>, v<i>), steps, values (names of the columns
       v<i>), j (the column's number), text (whether its values are text)
   out: (tuple, number of the value, rows) #}
SELECT x.id, x.value, CAST(SUM(x.n) AS BIGINT) AS n
FROM (
    SELECT
        t.p{{ steps | integer }} AS id,
        DENSE_RANK() OVER (
            ORDER BY r.y{{ j | integer }}{% if text %} COLLATE "C"{% endif %} NULLS FIRST
        ) AS value,
        r.n
    FROM judged_rows AS r
    JOIN judged_tuple_steps AS t ON {{ values | each('t.@ = r.@', ' AND ') }}
    WHERE r.masked = 0
) AS x
GROUP BY x.id, x.value
