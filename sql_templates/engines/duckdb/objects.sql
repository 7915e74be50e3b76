{# Everything that an attached database holds. DuckDB lists its thousands of functions for it, which
   takes a while.
   grain: one row per object, and per comment
   in: database
   out: (kind of object: table, view, comment on, macro, type, sequence, schema; whether it is in
        the main schema; its name) #}
SELECT 'view' AS kind, v.schema_name = 'main' AS main, v.view_name AS name
FROM DUCKDB_VIEWS() AS v
WHERE v.database_name = {{ database | literal }} AND NOT v.internal
UNION ALL
SELECT 'comment on', TRUE, v.view_name
FROM DUCKDB_VIEWS() AS v
WHERE v.database_name = {{ database | literal }} AND NOT v.internal AND v.comment IS NOT NULL
UNION ALL
SELECT 'table', t.schema_name = 'main', t.table_name
FROM DUCKDB_TABLES() AS t
WHERE t.database_name = {{ database | literal }}
UNION ALL
SELECT 'comment on', TRUE, t.table_name FROM DUCKDB_TABLES() AS t
    WHERE t.database_name = {{ database | literal }} AND t.comment IS NOT NULL
UNION ALL
SELECT 'comment on', TRUE, c.table_name FROM DUCKDB_COLUMNS() AS c
    WHERE c.database_name = {{ database | literal }} AND c.comment IS NOT NULL
UNION ALL
SELECT 'macro', TRUE, f.function_name FROM DUCKDB_FUNCTIONS() AS f
    WHERE f.database_name = {{ database | literal }} AND NOT f.internal
UNION ALL
SELECT 'type', TRUE, y.type_name FROM DUCKDB_TYPES() AS y
    WHERE y.database_name = {{ database | literal }} AND NOT y.internal
UNION ALL
SELECT 'sequence', TRUE, q.sequence_name FROM DUCKDB_SEQUENCES() AS q
    WHERE q.database_name = {{ database | literal }}
UNION ALL
SELECT 'schema', TRUE, m.schema_name FROM DUCKDB_SCHEMAS() AS m
    WHERE m.database_name = {{ database | literal }} AND NOT m.internal AND m.schema_name <> 'main'
ORDER BY kind, name, main
