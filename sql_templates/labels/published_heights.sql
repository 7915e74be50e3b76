{# The hierarchies that a release publishes.
   grain: one row per column
   in: table (of the release)
   out: (column_name, the number of its top level) #}
SELECT p.column_name, MAX(p.level) AS height
FROM {{ table | ident }} AS p
GROUP BY p.column_name
