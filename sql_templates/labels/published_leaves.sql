{# The leaves of the hierarchies that a release publishes, in their order.
   grain: one row per column and leaf
   in: table (of the release), heights {name of a column: the number of its top level}, highest (of
       these)
   out: (column_name, place, the leaf, its labels up to the top, then NULL) #}
{% for name, height in heights.items() %}
SELECT
    l.column_name, l.place, l.label AS v0
    {% for level in range(1, highest + 1) %}
    , {% if level > height %}CAST(NULL AS VARCHAR){% elif level == 1 %}l.parent
    {%- else %}p{{ (level - 1) | integer }}.parent{% endif %}
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
{% if loop.last %}
ORDER BY column_name, place
{% else %}
UNION ALL
{% endif %}
{% endfor %}
