{# The labels that a release publishes, held against those of hierarchies: leaves by their places in
   their order, NULL after all, and the labels above them.
   grain: one row per column and kind of labels
   in: table (of the release), trees (column, number of its hierarchy, height)
   out: (column, labels that are published, labels in which the two differ) #}
WITH
{% for name, number, height in trees %}
branches_{{ number | integer }}_{{ loop.index | integer }} AS (
    SELECT DISTINCT {{ range(1, height + 1) | listed('t.l#') }}
    FROM {{ ('labels_tree_' ~ number) | ident }} AS t
),
leaves_{{ number | integer }}_{{ loop.index | integer }} AS (
    SELECT p.label, p.parent, p.place
    FROM {{ table | ident }} AS p
    WHERE p.column_name = {{ name | literal }} AND p.level = 0
),
{% endfor %}
expected AS (
    {% for name, number, height in trees %}
    {% set branches = 'branches_' ~ number ~ '_' ~ loop.index %}
    {% for level in range(1, height + 1) %}
    SELECT DISTINCT
        {{ name | literal }} AS column_name,
        {{ level | integer }} AS level,
        t.{{ ('l' ~ level) | ident }} AS label,
        {% if level < height %}t.{{ ('l' ~ (level + 1)) | ident }}{% else %}NULL{% endif %}
            AS parent
    FROM {{ branches | ident }} AS t
    UNION ALL
    {% endfor %}
    {% endfor %}
    SELECT NULL AS column_name, 0 AS level, NULL AS label, NULL AS parent WHERE FALSE
),
counted AS (
    SELECT c.column_name, c.level, c.label, c.parent, c.place, SUM(c.published) AS published,
        SUM(c.expected) AS expected
    FROM (
        SELECT p.column_name, p.level, p.label, p.parent, p.place, 1 AS published, 0 AS expected
        FROM {{ table | ident }} AS p
        WHERE COALESCE(p.level, -1) <> 0
        {% if trees %}
            OR COALESCE(p.column_name, '') NOT IN (
                {%- for name, _, _ in trees %}{{ name | literal }}
                {%- if not loop.last %}, {% endif %}{% endfor %})
        {% endif %}
        UNION ALL
        SELECT e.column_name, e.level, e.label, e.parent, NULL, 0 AS published, 1 AS expected
        FROM expected AS e
    ) AS c
    GROUP BY c.column_name, c.level, c.label, c.parent, c.place
)
{% for name, number, _ in trees %}
{% set leaves = 'leaves_' ~ number ~ '_' ~ loop.index %}
SELECT
    {{ name | literal }} AS column_name,
    (SELECT COUNT(*) FROM {{ leaves | ident }} AS p) AS published,
    (SELECT COUNT(*) FROM {{ leaves | ident }} AS p)
        + (SELECT COUNT(*) FROM {{ ('labels_tree_' ~ number) | ident }} AS t)
        - 2 * (
            SELECT COUNT(DISTINCT p.place)
            FROM {{ leaves | ident }} AS p
            JOIN {{ ('labels_tree_' ~ number) | ident }} AS t
                ON t.place = p.place AND t.l0 IS NOT DISTINCT FROM p.label
                    AND t.l1 IS NOT DISTINCT FROM p.parent
        ) AS differ
UNION ALL
{% endfor %}
SELECT
    c.column_name,
    CAST(SUM(c.published) AS BIGINT) AS published,
    CAST(SUM(ABS(c.published - c.expected)) AS BIGINT) AS differ
FROM counted AS c
GROUP BY c.column_name
