{# grain: one row per table of a catalog file, the lattice left aside
   out: (name) #}
SELECT t.table_name
FROM DUCKDB_TABLES() AS t
WHERE t.database_name = CURRENT_DATABASE() AND t.schema_name <> 'lattice' AND NOT t.internal
