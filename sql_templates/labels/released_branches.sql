{# What of a hierarchy matters for how near values are to each other: the leaves that are released,
   and below each label with some of these, beside them, one leaf that is not. All that are not are
   alike there.
   grain: one row per leaf
   in: number (of the hierarchy), height, the table labels_words(word)
   out: (the labels of the leaf from level 0 to the top) #}
WITH
marked AS (
    SELECT t.*, w.released IS NOT NULL AS known
    FROM {{ ('labels_tree_' ~ number) | ident }} AS t
    LEFT JOIN (SELECT DISTINCT s.word, TRUE AS released FROM labels_words AS s) AS w
        ON w.word IS NOT DISTINCT FROM t.l0
),
others AS (
    SELECT
        m.line,
        CASE
            {% for level in range(1, height) %}
            WHEN m.{{ ('l' ~ level) | ident }} IN (
                SELECT k.{{ ('l' ~ level) | ident }} FROM marked AS k WHERE k.known
            ) THEN {{ level | integer }}
            {% endfor %}
            ELSE {{ height | integer }} END AS level,
        [{{ range(1, height + 1) | listed('m.l#') }}] AS labels
    FROM marked AS m
    WHERE NOT m.known
)
SELECT {{ range(height + 1) | listed('m.l#') }}
FROM marked AS m
WHERE m.known OR m.line IN (
    SELECT MIN(o.line) FROM others AS o GROUP BY o.level, o.labels[o.level]
)
ORDER BY m.line
