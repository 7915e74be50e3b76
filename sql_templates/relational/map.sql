{# The keys of released rows, with their surrogates.
   grain: one row per released row
   in: keyed, surrogates (tables)
   out: a SELECT of (value, surrogate) #}
SELECT k.value, n.surrogate
FROM {{ keyed | ident }} AS k
JOIN {{ surrogates | ident }} AS n ON n.id = k.id
