{# The leaves of the hierarchies whose labels a release publishes, in their order.
   grain: one row per column and leaf
   in: table (of the release), highest (level of all)
   out: (column_name, place, the leaf, its labels up to the top, then NULL) #}
SELECT
    l.column_name, l.place
    {% for level in range(highest + 1) %}
    , MAX(CASE WHEN l.level = {{ level | integer }} THEN l.label END) AS v{{ level | integer }}
    {% endfor %}
FROM {{ table | ident }} AS l
GROUP BY l.column_name, l.place
ORDER BY l.column_name, l.place
