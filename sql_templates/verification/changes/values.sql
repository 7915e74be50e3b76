{# How often each value of a column is released.
   grain: one row per value
   in: table, a (the column)
   out: (value as text, rows) #}
SELECT {{ a | text('t', a.name) }} AS value, CAST(COUNT(*) AS BIGINT) AS n
FROM {{ table | ident }} AS t
GROUP BY {{ a | text('t', a.name) }}
