{# Every label of the hierarchies that a release publishes, with the leaves that it covers. No leaf
   is listed twice.
   grain: one row per column, level and leaf
   in: leaves_<index> of each, attributes
   out: table published_labels(column_name, level, label, leaf, place: of the leaf in the order of
       intervals of names: siblings side by side, each label where its first leaf is listed, what
       NULL belongs to first, NULL itself last) #}
CREATE TABLE published_labels AS
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
{% for level in range(a.height + 1) %}
SELECT
    {{ a.name | literal }} AS column_name,
    {{ level | integer }} AS level,
    l.v{{ level | integer }} AS label,
    l.v0 AS leaf,
    CAST(l.place AS INTEGER) AS place
FROM placed_{{ a.index | integer }} AS l
{% if not (last and loop.last) %}UNION ALL{% endif +%}
{% endfor %}
{% endfor %}
