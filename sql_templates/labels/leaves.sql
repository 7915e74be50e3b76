{# The leaves of a hierarchy in the order that they are given in.
   grain: one row per leaf
   in: number (of the hierarchy), height
   out: (place in the order of intervals of names, the leaf, its labels up to the top) #}
SELECT t.place {{ range(height + 1) | each(', t.l#') }}
FROM {{ ('labels_tree_' ~ number) | ident }} AS t
ORDER BY t.line
