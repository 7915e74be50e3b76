{# The counted values of a column as texts.
   grain: one row per value, in the order of places
   in: table (see release/changes/categories), a (the column)
   out: (place, text, n) #}
SELECT c.place, {{ a | text('c', 'value') }} AS word, c.n
FROM {{ table | ident }} AS c
ORDER BY c.place
