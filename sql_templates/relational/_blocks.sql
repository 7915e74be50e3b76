-- name: dangling
{# Rows whose reference leads to no row.
   grain: one row
   in: source, reference, other (relation), key (of the other table)
   out: (rows without a reference, rows whose reference is no key of the other table) #}
SELECT
    COUNT(*) - COUNT({{ reference | value('s') }}) AS nulls,
    COUNT({{ reference | value('s') }}) - COUNT({{ key | value('o') }}) AS dangling
FROM {{ source | ident }} AS s
LEFT JOIN {{ other | ident }} AS o ON {{ key | value('o') }} = {{ reference | value('s') }}

-- name: keyed
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

-- name: keys
{# Whether a column tells the rows of a table apart.
   grain: one row
   in: source, key
   out: (rows, rows without a key, different keys) #}
SELECT COUNT(*) AS total, COUNT(*) - COUNT({{ key | value('s') }}) AS nulls,
    COUNT(DISTINCT {{ key | value('s') }}) AS different
FROM {{ source | ident }} AS s

-- name: map
{# The keys of released rows, with their surrogates.
   grain: one row per released row
   in: keyed, surrogates (tables)
   out: a SELECT of (value, surrogate) #}
SELECT k.value, n.surrogate
FROM {{ keyed | ident }} AS k
JOIN {{ surrogates | ident }} AS n ON n.id = k.id

-- name: rows
{# The rows of a table as whole numbers.
   grain: one row per row
   in: coded (see relational/coded), cells (see relational/cells), attributes, sensitive (columns)
   out: a SELECT of (id, parent, person, cell, x<index>: codes of sensitive values) #}
SELECT t.id, t.parent, t.person, e.cell{{ sensitive | each(', t.x#') }}
FROM {{ coded | ident }} AS t
JOIN {{ cells | ident }} AS e
    ON e.up = t.up {{ attributes | each('AND e.c# = t.c#') }}
