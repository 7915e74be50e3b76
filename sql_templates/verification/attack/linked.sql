{# The sensitive values of the released tuples.
   grain: one row per tuple and value
   in: judged_rows, judged_tuples, values (their columns v<i>), j (the sensitive column's number)
   out: (tuple, number of the value, rows) #}
SELECT t.id, r.x{{ j | integer }}, CAST(SUM(r.n) AS BIGINT) AS n
FROM judged_rows AS r
JOIN judged_tuples AS t ON {{ values | each('t.@ = r.@', ' AND ') }}
GROUP BY t.id, r.x{{ j | integer }}
