-- name: counts
{# The counted values of a column as texts.
   grain: one row per value, in the order of places
   in: table (see release/changes/categories), a (the column)
   out: (place, text, n) #}
SELECT c.place, {{ a | text('c', 'value') }} AS word, c.n
FROM {{ table | ident }} AS c
ORDER BY c.place

-- name: values
{# How many values a column has that are not NULL, and how many different ones; of NULL whether there
   is any.
   in: source, name
   out: (rows, values that are not NULL, different values with NULL) #}
SELECT
    CAST(COUNT(*) AS BIGINT) AS n,
    CAST(COUNT(s.{{ name | ident }}) AS BIGINT) AS present,
    CAST(COUNT(DISTINCT s.{{ name | ident }}) AS BIGINT)
        + COALESCE(MAX(CASE WHEN s.{{ name | ident }} IS NULL THEN 1 ELSE 0 END), 0) AS different
FROM {{ source | ident }} AS s
