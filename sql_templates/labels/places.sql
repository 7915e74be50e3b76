{# The leaves of a hierarchy in the order that intervals of names use: siblings side by side, each
   label where its first leaf is listed, what NULL belongs to first, and NULL before all.
   grain: one row per leaf
   in: number (of the hierarchy), height
   out: (tree, word, place) #}
SELECT
    {{ number | integer }} AS tree,
    t.l0 AS word,
    MAX(CASE WHEN t.l0 IS NULL THEN -1 ELSE t.place END) AS place
FROM {{ ('labels_tree_' ~ number) | ident }} AS t
GROUP BY t.l0
