{# The values of a sensitive column as the source has them.
   grain: one row per value
   in: source, a (the column)
   out: a SELECT of (q<index>, n: rows) #}
SELECT {{ a | value('s') }} AS q{{ a.index | integer }}, CAST(COUNT(*) AS BIGINT) AS n
FROM {{ source | ident }} AS s
GROUP BY {{ a | value('s') }}
