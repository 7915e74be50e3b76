{# Every label of the hierarchies that a release publishes, with its parent: in the order of the
   columns, of the first leaf below a label, and of levels. Leaves are put in order by the number of
   their branch, all labels above them together, so that no text is sorted a leaf.
   grain: one row per column, level and label
   in: leaves_<index> of each, attributes, offsets (how many leaves and NULLs those before have)
   out: table told_hierarchies(column_name, level, label, parent, place: of leaves alone, in
       the order of intervals of names: siblings side by side, each label where its first leaf is
       listed, what NULL belongs to first, NULL itself last; ordering) #}
CREATE TABLE told_hierarchies AS
WITH
{% for a in attributes %}
{% set above = range(1, a.height + 1) %}
leaves_of_{{ a.index | integer }} AS (
    SELECT {{ range(a.height + 1) | each('f.v#,') }} f.place AS line
    FROM leaves_{{ a.index | integer }} AS f
{% if a.has_null %}
    UNION ALL
    SELECT {{ a.null_labels | literals }}, -1
{% endif %}
),
branches_of_{{ a.index | integer }} AS (
    SELECT
        {{ above | each('s.v#,') }}
        ROW_NUMBER() OVER (ORDER BY {{ above[::-1] | listed('s.first# NULLS FIRST') }}) AS branch
    FROM (
        SELECT
            {{ above | each('g.v#,') }}
            {% for level in above %}
            MIN(g.line) OVER (PARTITION BY g.v{{ level | integer }})
                AS first{{ level | integer }}{% if not loop.last %},{% endif +%}
            {% endfor %}
        FROM (
            SELECT {{ above | each('l.v#,') }} MIN(l.line) AS line
            FROM leaves_of_{{ a.index | integer }} AS l
            GROUP BY {{ above | listed('l.v#') }}
        ) AS g
    ) AS s
),
places_of_{{ a.index | integer }} AS (
    SELECT
        q.line, q.branch,
        ROW_NUMBER() OVER (
            ORDER BY q.no_value NULLS FIRST, q.branch NULLS FIRST, q.line NULLS FIRST
        ) - 1 AS place
    FROM (
        SELECT l.line, b.branch, CASE WHEN l.v0 IS NULL THEN 1 ELSE 0 END AS no_value
        FROM leaves_of_{{ a.index | integer }} AS l
        JOIN branches_of_{{ a.index | integer }} AS b
            ON {{ above | each('b.v# = l.v#', ' AND ') }}
    ) AS q
),
firsts_of_{{ a.index | integer }} AS (
    SELECT p.branch, MIN(p.place) AS place
    FROM places_of_{{ a.index | integer }} AS p
    GROUP BY p.branch
){% if not loop.last %},{% endif +%}
{% endfor %}
{% for a in attributes %}
{% set last = loop.last %}
{% set offset = offsets[loop.index0] %}
SELECT
    {{ a.name | literal }} AS column_name,
    0 AS level,
    l.v0 AS label,
    l.v1 AS parent,
    CAST(p.place AS INTEGER) AS place,
    (CAST(p.place AS BIGINT) + {{ offset | integer }}) * 128 AS ordering
FROM leaves_of_{{ a.index | integer }} AS l
JOIN places_of_{{ a.index | integer }} AS p ON p.line = l.line
UNION ALL
{% for level in range(1, a.height + 1) %}
SELECT
    {{ a.name | literal }} AS column_name,
    {{ level | integer }} AS level,
    b.v{{ level | integer }} AS label,
{% if level == a.height %}
    CAST(NULL AS VARCHAR) AS parent,
{% else %}
    MIN(b.v{{ (level + 1) | integer }}) AS parent,
{% endif %}
    CAST(NULL AS INTEGER) AS place,
    (CAST(MIN(f.place) AS BIGINT) + {{ offset | integer }}) * 128
        + {{ level | integer }} AS ordering
FROM branches_of_{{ a.index | integer }} AS b
JOIN firsts_of_{{ a.index | integer }} AS f ON f.branch = b.branch
GROUP BY b.v{{ level | integer }}
{% if not (loop.last and last) %}UNION ALL{% endif +%}
{% endfor %}
{% endfor %}
