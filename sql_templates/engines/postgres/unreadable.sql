{# What readers of a release cannot read.
   grain: one row per role and object
   in: schema, tables, roles
   out: (role, the table, or NULL for the schema) #}
SELECT CAST(r.rolname AS TEXT), NULL AS name
FROM pg_roles AS r
JOIN pg_namespace AS n ON n.nspname = {{ schema | literal }}
WHERE r.rolname IN ({{ roles | literals }}) AND NOT HAS_SCHEMA_PRIVILEGE(r.oid, n.oid, 'USAGE')
UNION ALL
SELECT CAST(r.rolname AS TEXT), CAST(c.relname AS TEXT)
FROM pg_roles AS r
JOIN pg_namespace AS n ON n.nspname = {{ schema | literal }}
JOIN pg_class AS c ON c.relnamespace = n.oid AND c.relname IN ({{ tables | literals }})
WHERE r.rolname IN ({{ roles | literals }}) AND NOT HAS_TABLE_PRIVILEGE(r.oid, c.oid, 'SELECT')
ORDER BY 1, 2 NULLS FIRST
