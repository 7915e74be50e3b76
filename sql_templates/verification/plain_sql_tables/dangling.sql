{# References that lead to no row.
   grain: one row per such row
   in: relation, key, reference, other (relation), other_key
   out: the key and the reference #}
SELECT t.{{ key | ident }}, t.{{ reference | ident }}
FROM {{ relation | ident }} AS t
LEFT JOIN {{ other | ident }} AS o ON o.{{ other_key | ident }} = t.{{ reference | ident }}
WHERE t.{{ reference | ident }} IS NOT NULL AND o.{{ other_key | ident }} IS NULL
