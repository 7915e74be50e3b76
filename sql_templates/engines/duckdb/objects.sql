{# Everything that an attached database holds. DuckDB lists its thousands of functions for it, which
   takes a while. A table is plain where its statement has the names and types of its columns and
   nothing else: quotes aside, whatever else stands there makes it longer. Collations are nowhere
   else to be seen.
   grain: one row per object, per comment, and per table that is not plain
   in: database
   out: (kind of object: table, view, comment on, default …, index, trigger, macro, type, sequence,
        schema; whether it is in the main schema; its name) #}
SELECT 'view' AS kind, v.schema_name = 'main' AS main, v.view_name AS name
FROM DUCKDB_VIEWS() AS v
WHERE v.database_name = {{ database | literal }} AND NOT v.internal
UNION ALL
SELECT 'comment on', TRUE, v.view_name
FROM DUCKDB_VIEWS() AS v
WHERE v.database_name = {{ database | literal }} AND NOT v.internal
  AND (v.comment IS NOT NULL OR CARDINALITY(v.tags) > 0)
UNION ALL
SELECT 'table', t.schema_name = 'main', t.table_name
FROM DUCKDB_TABLES() AS t
WHERE t.database_name = {{ database | literal }}
UNION ALL
SELECT 'comment on', TRUE, t.table_name FROM DUCKDB_TABLES() AS t
    WHERE t.database_name = {{ database | literal }}
      AND (t.comment IS NOT NULL OR CARDINALITY(t.tags) > 0)
UNION ALL
SELECT 'comment on', TRUE, c.table_name FROM DUCKDB_COLUMNS() AS c
    WHERE c.database_name = {{ database | literal }}
      AND (c.comment IS NOT NULL OR CARDINALITY(c.tags) > 0)
UNION ALL
SELECT 'default, expression, constraint or collation of', TRUE, t.table_name
FROM DUCKDB_TABLES() AS t
WHERE t.database_name = {{ database | literal }}
  AND REPLACE(t.sql, '"', '') IS DISTINCT FROM (
      SELECT REPLACE(CONCAT(
          'CREATE TABLE ', t.table_name, '(',
          STRING_AGG(c.column_name || ' ' || c.data_type, ', ' ORDER BY c.column_index), ');'
      ), '"', '')
      FROM DUCKDB_COLUMNS() AS c
      WHERE c.database_name = {{ database | literal }} AND c.table_oid = t.table_oid
  )
UNION ALL
SELECT 'index', TRUE, i.index_name FROM DUCKDB_INDEXES() AS i
    WHERE i.database_name = {{ database | literal }}
UNION ALL
SELECT 'trigger', TRUE, g.trigger_name FROM DUCKDB_TRIGGERS() AS g
    WHERE g.database_name = {{ database | literal }}
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
