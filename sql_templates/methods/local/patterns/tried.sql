{# Whether a condition means anything over the source.
   grain: one row
   in: source, asked (a condition)
   out: the rows of which it is true #}
SELECT COUNT(*) AS satisfying
FROM {{ source | ident }} AS s
WHERE {{ asked | condition('s') }}
