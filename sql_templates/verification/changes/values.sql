{# How many rows and people have each value of a column.
   grain: one row per value
   in: table, a (the column), people (the column that tells people apart, or none: each row is one)
   out: (value as text, rows, people) #}
SELECT {{ a | text('t', a.name) }} AS value, CAST(COUNT(*) AS BIGINT) AS n,
    {% if people is none %}
    CAST(COUNT(*) AS BIGINT) AS people
    {% else %}
    CAST(COUNT(DISTINCT {{ people | value('t') }}) AS BIGINT) AS people
    {% endif %}
FROM {{ table | ident }} AS t
GROUP BY {{ a | text('t', a.name) }}
