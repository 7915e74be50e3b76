{# The relations of a schema that belong to other roles.
   grain: one row per relation, by name
   in: schema, tables (names of tables and views)
   out: (name, its owner, this role) #}
SELECT CAST(c.relname AS TEXT), CAST(PG_GET_USERBYID(c.relowner) AS TEXT), CAST(CURRENT_USER AS TEXT)
FROM pg_class AS c
JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = {{ schema | literal }} AND c.relname IN ({{ tables | literals }})
    AND NOT PG_HAS_ROLE(c.relowner, 'USAGE')
ORDER BY 1
