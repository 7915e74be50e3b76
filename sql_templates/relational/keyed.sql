{# The rows of a table, numbered in an order that only a secret salt knows.
   grain: one row per row of the table
   in: source, key, fresh_salt
   out: a SELECT of (id: 1 … n, value: of the key) #}
SELECT
    CAST(ROW_NUMBER() OVER (
        ORDER BY MD5((SELECT z.salt FROM fresh_salt AS z)
            || CAST({{ key | value('s') }} AS VARCHAR)) NULLS LAST
    ) AS BIGINT) AS id,
    {{ key | value('s') }} AS value
FROM {{ source | ident }} AS s
