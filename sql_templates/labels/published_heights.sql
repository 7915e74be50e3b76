{# The hierarchies whose labels a release publishes.
   grain: one row per column
   in: table (of the release)
   out: (column_name, the number of its top level, the label of that) #}
SELECT h.column_name, h.height, MIN(p.label) AS top
FROM (
    SELECT q.column_name, MAX(q.level) AS height
    FROM {{ table | ident }} AS q
    GROUP BY q.column_name
) AS h
JOIN {{ table | ident }} AS p ON p.column_name = h.column_name AND p.level = h.height
GROUP BY h.column_name, h.height
