{# The labels that a release publishes, held against those of hierarchies: leaves in their order,
   NULL after all.
   grain: one row per column
   in: table (of the release), trees (column, number of its hierarchy, height)
   out: (column, labels that are published, labels in which the two differ) #}
WITH
expected AS (
    {% for name, number, height in trees %}
    {% for level in range(height + 1) %}
    SELECT DISTINCT
        {{ name | literal }} AS column_name,
        {{ level | integer }} AS level,
        t.{{ ('l' ~ level) | ident }} AS label,
        {% if level < height %}t.{{ ('l' ~ (level + 1)) | ident }}{% else %}NULL{% endif %}
            AS parent,
        {% if level %}NULL{% else %}t.place{% endif %} AS place
    FROM {{ ('labels_tree_' ~ number) | ident }} AS t
    UNION ALL
    {% endfor %}
    {% endfor %}
    SELECT NULL AS column_name, 0 AS level, NULL AS label, NULL AS parent, 0 AS place WHERE FALSE
),
counted AS (
    SELECT c.column_name, c.level, c.label, c.parent, c.place, SUM(c.published) AS published,
        SUM(c.expected) AS expected
    FROM (
        SELECT p.column_name, p.level, p.label, p.parent, p.place, 1 AS published, 0 AS expected
        FROM {{ table | ident }} AS p
        UNION ALL
        SELECT e.column_name, e.level, e.label, e.parent, e.place, 0 AS published, 1 AS expected
        FROM expected AS e
    ) AS c
    GROUP BY c.column_name, c.level, c.label, c.parent, c.place
)
SELECT
    c.column_name,
    CAST(SUM(c.published) AS BIGINT) AS published,
    CAST(SUM(ABS(c.published - c.expected)) AS BIGINT) AS differ
FROM counted AS c
GROUP BY c.column_name
ORDER BY c.column_name
