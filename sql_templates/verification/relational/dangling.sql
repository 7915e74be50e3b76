{# Released rows that refer to nothing.
   grain: one row
   in: table, reference, other, key (of the other table)
   out: (rows without a reference, rows whose reference is no key) #}
SELECT
    COUNT(CASE WHEN p.{{ reference | ident }} IS NULL THEN 1 END) AS nulls,
    COUNT(CASE
        WHEN p.{{ reference | ident }} IS NOT NULL AND q.{{ key | ident }} IS NULL THEN 1
    END) AS dangling
FROM {{ table | ident }} AS p
LEFT JOIN {{ other | ident }} AS q ON q.{{ key | ident }} = p.{{ reference | ident }}
