{# The different values of a column that is drawn anew, NULL last: those that at least k rows have, or
   k people.
   grain: one row per value
   in: source, a (the column: name, cast, text), people (the column that tells people apart, or none),
       k
   out: (value, n, place from 1) #}
SELECT
    c.value,
    c.n,
    CAST(ROW_NUMBER() OVER (
        ORDER BY c.value
        {%- if a.column.kind == 'text' %} COLLATE "C"{% endif %} NULLS LAST
    ) AS BIGINT) AS place
FROM (
    SELECT {{ a | value('s') }} AS value, CAST(COUNT(*) AS BIGINT) AS n
    FROM {{ source | ident }} AS s
    GROUP BY {{ a | value('s') }}
    HAVING COUNT({% if people is none %}*{% else %}DISTINCT {{ people | value('s') }}{% endif %})
        >= {{ k | integer }}
) AS c
