{# Every label of the hierarchies that a release publishes, with its parent. No leaf is listed
   twice.
   grain: one row per column, level and label
   in: leaves_<index> of each, attributes
   out: table told_hierarchies(column_name, level, label, parent, place: of leaves alone, in
       the order of intervals of names: siblings side by side, each label where its first leaf is
       listed, what NULL belongs to first, NULL itself last) #}
CREATE TABLE told_hierarchies AS
WITH
{% for a in attributes %}
{% set i = a.index %}
given_{{ i | integer }} AS (
    SELECT {{ range(a.height + 1) | each('f.v#,') }} f.place
    FROM leaves_{{ i | integer }} AS f
{% if a.has_null %}
    UNION ALL
    SELECT {{ a.null_labels | literals }}, -1
{% endif %}
),
{% for level in range(1, a.height) %}
first_{{ i | integer }}_{{ level | integer }} AS (
    SELECT g.v{{ level | integer }} AS label, MIN(g.place) AS place
    FROM given_{{ i | integer }} AS g
    GROUP BY g.v{{ level | integer }}
),
{% endfor %}
placed_{{ i | integer }} AS (
    SELECT
        {{ range(a.height + 1) | each('g.v#,') }}
        ROW_NUMBER() OVER (
            ORDER BY
                CASE WHEN g.v0 IS NULL THEN 1 ELSE 0 END NULLS FIRST,
                {{ range(a.height - 1, 0, -1) | each('f#.place NULLS FIRST,') }}
                g.place NULLS FIRST
        ) - 1 AS place
    FROM given_{{ i | integer }} AS g
    {% for level in range(1, a.height) %}
    JOIN first_{{ i | integer }}_{{ level | integer }} AS f{{ level | integer }}
        ON f{{ level | integer }}.label = g.v{{ level | integer }}
    {% endfor %}
){% if not loop.last %},{% endif +%}
{% endfor %}
{% for a in attributes %}
{% set last = loop.last %}
SELECT
    {{ a.name | literal }} AS column_name,
    0 AS level,
    l.v0 AS label,
    l.v1 AS parent,
    CAST(l.place AS INTEGER) AS place
FROM placed_{{ a.index | integer }} AS l
{% for level in range(1, a.height + 1) %}
UNION ALL
SELECT
    {{ a.name | literal }} AS column_name,
    {{ level | integer }} AS level,
    l.v{{ level | integer }} AS label,
{% if level == a.height %}
    CAST(NULL AS VARCHAR) AS parent,
{% else %}
    MIN(l.v{{ (level + 1) | integer }}) AS parent,
{% endif %}
    CAST(NULL AS INTEGER) AS place
FROM placed_{{ a.index | integer }} AS l
GROUP BY l.v{{ level | integer }}
{% endfor %}
{% if not last %}UNION ALL{% endif +%}
{% endfor %}
