{# grain: one row per table or view of an attached database
   in: database
   out: (schema, name, whether it is a view) #}
SELECT t.schema_name, t.table_name, FALSE FROM DUCKDB_TABLES() AS t
    WHERE t.database_name = {{ database | literal }}
UNION ALL
SELECT v.schema_name, v.view_name, TRUE FROM DUCKDB_VIEWS() AS v
    WHERE v.database_name = {{ database | literal }} AND NOT v.internal
ORDER BY 1, 2
