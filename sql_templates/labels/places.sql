{# The leaves of a hierarchy in the order that intervals of names use: siblings side by side, each
   label where its first leaf is listed, NULL first.
   grain: one row per leaf
   in: number (of the hierarchy), height
   out: (tree, word, place) #}
SELECT
    {{ number | integer }} AS tree,
    f.l0 AS word,
    MAX(f.place) AS place
FROM (
    SELECT
        t.l0,
        ROW_NUMBER() OVER (
            ORDER BY
                t.l0 IS NOT NULL
                {% for level in range(height, -1, -1) %}
                , t.{{ ('f' ~ level) | ident }}
                {% endfor %}
        ) AS place
    FROM (
        SELECT
            r.l0
            {% for level in range(height + 1) %}
            , MIN(r.line) OVER (PARTITION BY r.{{ ('l' ~ level) | ident }})
                AS {{ ('f' ~ level) | ident }}
            {% endfor %}
        FROM {{ ('labels_tree_' ~ number) | ident }} AS r
    ) AS t
) AS f
GROUP BY f.l0
