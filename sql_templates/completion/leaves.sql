{# The labels of some columns' hierarchies that a release publishes.
   grain: one row per column, level and leaf
   in: table (of the release), names (of the columns)
   out: (column_name, level, label, place) #}
SELECT h.column_name, h.level, h.label, h.place
FROM {{ table | ident }} AS h
WHERE h.column_name IN ({{ names | literals }})
