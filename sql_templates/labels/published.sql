{# The labels that a release publishes, held against those of hierarchies.
   grain: one row per column
   in: table (of the release), trees (column, number of its hierarchy, height)
   out: (column, rows that are published, rows in which the two differ) #}
WITH
expected AS (
    {% for name, number, height in trees %}
    {% for level in range(height + 1) %}
    SELECT
        {{ name | literal }} AS column_name,
        {{ level | integer }} AS level,
        t.{{ ('l' ~ level) | ident }} AS label,
        t.l0 AS leaf,
        t.place
    FROM {{ ('labels_tree_' ~ number) | ident }} AS t
    UNION ALL
    {% endfor %}
    {% endfor %}
    SELECT NULL AS column_name, 0 AS level, NULL AS label, NULL AS leaf, 0 AS place WHERE FALSE
),
counted AS (
    SELECT
        c.column_name, c.level, c.label, c.leaf, c.place,
        SUM(c.published) AS published, SUM(c.expected) AS expected
    FROM (
        SELECT p.column_name, p.level, p.label, p.leaf, p.place, 1 AS published, 0 AS expected
        FROM {{ table | ident }} AS p
        UNION ALL
        SELECT e.column_name, e.level, e.label, e.leaf, e.place, 0 AS published, 1 AS expected
        FROM expected AS e
    ) AS c
    GROUP BY c.column_name, c.level, c.label, c.leaf, c.place
)
SELECT
    c.column_name,
    CAST(SUM(c.published) AS BIGINT) AS published,
    CAST(SUM(ABS(c.published - c.expected)) AS BIGINT) AS differ
FROM counted AS c
GROUP BY c.column_name
