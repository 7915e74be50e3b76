{# The schema in which tables lie beside a release for its owner alone.
   grain: one row, none where there is no such schema
   in: schema, tables (names)
   out: (this role, the schema's owner, who else may use the schema: roles, or PUBLIC, something
       that lies there and is no table of its owner, which of the tables are there) #}
SELECT
    CAST(CURRENT_USER AS TEXT),
    CAST(PG_GET_USERBYID(n.nspowner) AS TEXT),
    ARRAY(
        SELECT DISTINCT COALESCE(CAST(r.rolname AS TEXT), 'PUBLIC')
        FROM ACLEXPLODE(n.nspacl) AS g
        LEFT JOIN pg_roles AS r ON r.oid = g.grantee
        WHERE g.grantee <> n.nspowner
        ORDER BY 1
    ),
    (
        SELECT MIN(CAST(c.relname AS TEXT))
        FROM pg_class AS c
        WHERE c.relnamespace = n.oid AND c.relkind NOT IN ('i', 'I')
            AND (c.relkind <> 'r' OR c.relowner <> n.nspowner)
    ),
    ARRAY(
        SELECT CAST(c.relname AS TEXT)
        FROM pg_class AS c
        WHERE c.relnamespace = n.oid AND c.relname IN ({{ tables | literals }})
        ORDER BY 1
    )
FROM pg_namespace AS n
WHERE n.nspname = {{ schema | literal }}
