{# Whether a column tells the rows of a table apart.
   grain: one row
   in: source, key
   out: (rows, rows without a key, different keys) #}
SELECT COUNT(*) AS total, COUNT(*) - COUNT({{ key | value('s') }}) AS nulls,
    COUNT(DISTINCT {{ key | value('s') }}) AS different
FROM {{ source | ident }} AS s
