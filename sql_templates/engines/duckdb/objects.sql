{# Everything that an attached database holds besides some tables and views of its main schema.
   grain: one row per object
   in: database, own (names of those tables), views (of those views)
   out: (what it is, in words) #}
SELECT 'view ' || v.view_name AS object
FROM DUCKDB_VIEWS() AS v
WHERE v.database_name = {{ database | literal }} AND NOT v.internal
{% if views %}
    AND (v.schema_name <> 'main' OR v.view_name NOT IN ({{ views | literals }}))
UNION ALL
SELECT 'comment on ' || v.view_name
FROM DUCKDB_VIEWS() AS v
WHERE v.database_name = {{ database | literal }} AND NOT v.internal AND v.comment IS NOT NULL
{% endif %}
UNION ALL
SELECT 'table ' || t.table_name
FROM DUCKDB_TABLES() AS t
WHERE t.database_name = {{ database | literal }}
    AND (t.schema_name <> 'main' OR t.table_name NOT IN ({{ own | literals }}))
UNION ALL
SELECT 'comment on ' || t.table_name FROM DUCKDB_TABLES() AS t
    WHERE t.database_name = {{ database | literal }} AND t.comment IS NOT NULL
UNION ALL
SELECT 'comment on ' || c.table_name FROM DUCKDB_COLUMNS() AS c
    WHERE c.database_name = {{ database | literal }} AND c.comment IS NOT NULL
UNION ALL
SELECT 'macro ' || f.function_name FROM DUCKDB_FUNCTIONS() AS f
    WHERE f.database_name = {{ database | literal }} AND NOT f.internal
UNION ALL
SELECT 'type ' || y.type_name FROM DUCKDB_TYPES() AS y
    WHERE y.database_name = {{ database | literal }} AND NOT y.internal
UNION ALL
SELECT 'sequence ' || q.sequence_name FROM DUCKDB_SEQUENCES() AS q
    WHERE q.database_name = {{ database | literal }}
UNION ALL
SELECT 'schema ' || m.schema_name FROM DUCKDB_SCHEMAS() AS m
    WHERE m.database_name = {{ database | literal }} AND NOT m.internal AND m.schema_name <> 'main'
ORDER BY object
