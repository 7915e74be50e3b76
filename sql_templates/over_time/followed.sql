{# The source without the rows that are held back.
   grain: one row per row to be released
   in: source, key (a column), held
   out: a SELECT of the source's columns #}
SELECT s.*
FROM {{ source | ident }} AS s
WHERE NOT EXISTS (SELECT 1 FROM held AS x WHERE x.k = {{ key | value('s') }})
