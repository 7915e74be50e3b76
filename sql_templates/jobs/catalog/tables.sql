{# grain: one row per table of a catalog file
   out: (schema, name) #}
SELECT t.schema_name, t.table_name
FROM DUCKDB_TABLES() AS t
WHERE t.database_name = CURRENT_DATABASE() AND NOT t.internal
