{# How often a value of the source was released as what.
   grain: one row per value and released value
   in: table (of draws), a (the column), new (the column of what is released)
   out: (value as text, released value as text, rows) #}
SELECT
    {{ a | text('t', a.name) }} AS was,
    {{ a | text('t', new) }} AS became,
    CAST(COUNT(*) AS BIGINT) AS n
FROM {{ table | ident }} AS t
GROUP BY {{ a | text('t', a.name) }}, {{ a | text('t', new) }}
