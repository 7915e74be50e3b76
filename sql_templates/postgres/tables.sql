{# grain: one row per table or view of the database, those that need no schema first
   out: (schema, name, whether the name alone finds it, whether this role may read it) #}
SELECT n.nspname, c.relname, PG_TABLE_IS_VISIBLE(c.oid),
    HAS_SCHEMA_PRIVILEGE(n.oid, 'USAGE') AND HAS_TABLE_PRIVILEGE(c.oid, 'SELECT')
FROM pg_class AS c
JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
  AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast') AND n.nspname NOT LIKE 'pg\_temp\_%'
ORDER BY PG_TABLE_IS_VISIBLE(c.oid) DESC, n.nspname COLLATE "C", c.relname COLLATE "C"
