{# The keys that a table's constraints make, and those of other tables that refer to it.
   grain: one row per constraint
   in: relation (database, schema, table)
   out: (kind, its columns of this table, the other table of a foreign key) #}
SELECT
    CASE c.constraint_type WHEN 'PRIMARY KEY' THEN 'primary'
        WHEN 'UNIQUE' THEN 'unique' ELSE 'refers' END AS kind,
    c.constraint_column_names,
    COALESCE(c.referenced_table, '') AS other
FROM DUCKDB_CONSTRAINTS() AS c
WHERE c.database_name = {{ relation[0] | literal }} AND c.schema_name = {{ relation[1] | literal }}
  AND c.table_name = {{ relation[2] | literal }}
      AND c.constraint_type IN ('PRIMARY KEY', 'UNIQUE', 'FOREIGN KEY')
UNION ALL
SELECT 'referred', c.referenced_column_names, c.table_name
FROM DUCKDB_CONSTRAINTS() AS c
WHERE c.database_name = {{ relation[0] | literal }} AND c.schema_name = {{ relation[1] | literal }}
  AND c.referenced_table = {{ relation[2] | literal }} AND c.constraint_type = 'FOREIGN KEY'
ORDER BY ALL
