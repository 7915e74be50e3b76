{# How large the classes are that have a label, of columns whose labels name values that occur.
   grain: one row per column, label and size of a class
   in: table (released rows), naming, labeled (completed columns), completed_labels
   out: (position, value, size: rows of a class, classes: how many), in order #}
WITH classes AS (
    SELECT
        {% for c in naming %}
        {% for part in c.parts %}
        r.{{ part | ident }} AS {{ ('p' ~ c.index ~ '_' ~ loop.index) | ident }},
        {% endfor %}
        {% endfor %}
        COUNT(*) AS size
    FROM {{ table | ident }} AS r
    GROUP BY
        {% for c in labeled %}
        {{ c.parts | each('r.@', ', ') }}{% if not loop.last %},{% endif +%}
        {% endfor %}
)
SELECT s.position, s.value, s.size, s.classes
FROM (
    {% for c in naming %}
    SELECT {{ c.index | integer }} AS position, v.value, k.size, COUNT(*) AS classes
    FROM classes AS k
    JOIN completed_labels AS v
        ON v.position = {{ c.index | integer }}
        {% for part in c.parts %}
        AND COALESCE('=' || CAST({{ ['k', 'p' ~ c.index ~ '_' ~ loop.index] | ident }} AS VARCHAR), '')
            = v.{{ ('key' ~ loop.index) | ident }}
        {% endfor %}
    GROUP BY v.value, k.size
    {% if not loop.last %}
    UNION ALL
    {% endif %}
    {% endfor %}
) AS s
ORDER BY s.position, s.value, s.size
