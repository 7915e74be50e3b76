{# The leaves of a hierarchy that a release publishes, in their order.
   grain: one row per leaf
   in: table (of the release), name (of the column), height
   out: (place, the leaf, its labels up to the top) #}
SELECT
    l.place, l.label AS v0
    {% for level in range(1, height + 1) %}
    , {% if level == 1 %}l{% else %}p{{ (level - 1) | integer }}{% endif %}.parent
        AS v{{ level | integer }}
    {% endfor %}
FROM {{ table | ident }} AS l
{% for level in range(1, height) %}
LEFT JOIN (
    SELECT q.label, MIN(q.parent) AS parent
    FROM {{ table | ident }} AS q
    WHERE q.column_name = {{ name | literal }} AND q.level = {{ level | integer }}
    GROUP BY q.label
) AS p{{ level | integer }} ON p{{ level | integer }}.label =
    {% if level == 1 %}l{% else %}p{{ (level - 1) | integer }}{% endif %}.parent
{% endfor %}
WHERE l.column_name = {{ name | literal }} AND l.level = 0
ORDER BY l.place
