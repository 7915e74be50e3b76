{# Every label of the hierarchies that a release publishes, with its parent: in the order of the
   columns, of the first leaf below a label, and of levels.
   grain: one row per column, level and label
   in: leaves_<index> of each, attributes, offsets (how many leaves and NULLs those before have)
   out: table told_hierarchies(column_name, level, label, parent, place: of leaves alone, in
       the order of intervals of names: siblings side by side, each label where its first leaf is
       listed, what NULL belongs to first, NULL itself last; ordering) #}
CREATE TABLE told_hierarchies AS
{% for a in attributes %}
{% set last = loop.last %}
{% set offset = offsets[loop.index0] %}
{% for level in range(a.height + 1) %}
SELECT
    {{ a.name | literal }} AS column_name,
    {{ level | integer }} AS level,
    l.v{{ level | integer }} AS label,
{% if level == a.height %}
    CAST(NULL AS VARCHAR) AS parent,
{% else %}
    MIN(l.v{{ (level + 1) | integer }}) AS parent,
{% endif %}
    {% if level %}CAST(NULL AS INTEGER){% else %}CAST(MIN(l.place) AS INTEGER){% endif %} AS place,
    (CAST(MIN(l.place) AS BIGINT) + {{ offset | integer }}) * 128
        + {{ level | integer }} AS ordering
FROM (
    SELECT
        {{ range(a.height + 1) | each('s.v#,') }}
        ROW_NUMBER() OVER (
            ORDER BY s.v0 IS NULL{{ range(a.height, -1, -1) | each(', s.first#') }}
        ) - 1 AS place
    FROM (
        SELECT
            {{ range(a.height + 1) | each('g.v#,') }}
            {% for level in range(a.height + 1) %}
            MIN(g.place) OVER (PARTITION BY g.v{{ level | integer }})
                AS first{{ level | integer }}{% if not loop.last %},{% endif +%}
            {% endfor %}
        FROM (
            SELECT {{ range(a.height + 1) | each('f.v#,') }} f.place
            FROM leaves_{{ a.index | integer }} AS f
{% if a.has_null %}
            UNION ALL
            SELECT {{ a.null_labels | literals }}, -1
{% endif %}
        ) AS g
    ) AS s
) AS l
GROUP BY l.v{{ level | integer }}
{% if not (loop.last and last) %}UNION ALL{% endif +%}
{% endfor %}
{% endfor %}
