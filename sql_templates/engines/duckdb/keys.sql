{# The keys that a table's constraints make, and those of other tables that refer to it. Constraints
   name tables and columns in the case that they were written in.
   grain: one row per constraint
   in: relation (database, schema, table)
   out: (kind, its columns of this table, the other table of a foreign key: its schema and name) #}
SELECT
    CASE c.constraint_type WHEN 'PRIMARY KEY' THEN 'primary'
        WHEN 'UNIQUE' THEN 'unique' ELSE 'refers' END AS kind,
    c.constraint_column_names,
    c.schema_name,
    COALESCE(t.table_name, '') AS other
FROM DUCKDB_CONSTRAINTS() AS c
LEFT JOIN DUCKDB_TABLES() AS t
    ON t.database_name = c.database_name AND t.schema_name = c.schema_name
    AND LOWER(t.table_name) = LOWER(c.referenced_table)
WHERE c.database_name = {{ relation[0] | literal }} AND c.schema_name = {{ relation[1] | literal }}
  AND c.table_name = {{ relation[2] | literal }}
      AND c.constraint_type IN ('PRIMARY KEY', 'UNIQUE', 'FOREIGN KEY')
UNION ALL
SELECT 'referred', c.referenced_column_names, c.schema_name, c.table_name
FROM DUCKDB_CONSTRAINTS() AS c
WHERE c.database_name = {{ relation[0] | literal }} AND c.schema_name = {{ relation[1] | literal }}
  AND LOWER(c.referenced_table) = LOWER({{ relation[2] | literal }})
  AND c.constraint_type = 'FOREIGN KEY'
ORDER BY ALL
