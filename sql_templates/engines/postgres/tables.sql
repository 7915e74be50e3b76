{# grain: one row per table or view of the database
   out: (schema, name, whether this role may read it) #}
SELECT n.nspname, c.relname,
    HAS_SCHEMA_PRIVILEGE(n.oid, 'USAGE') AND HAS_TABLE_PRIVILEGE(c.oid, 'SELECT')
FROM pg_class AS c
JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
  AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
  AND n.nspname NOT LIKE 'pg\_temp\_%'
ORDER BY n.nspname COLLATE "C", c.relname COLLATE "C"
