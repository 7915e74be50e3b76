{# in: run, database, table, levels [(column, level, digest of the hierarchy)]
   out: one row for each quasi-identifying column of the release #}
INSERT INTO releases
SELECT {{ run | integer }}, {{ database | literal }}, {{ table | literal }}, CURRENT_TIMESTAMP,
    l.column_name, l.level, l.hierarchy
FROM (VALUES {{ levels | rows }}) AS l (column_name, level, hierarchy)
