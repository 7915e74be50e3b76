{# What stands where a release is to go.
   grain: one row
   in: schema, tables (names of its tables and views), views (those of them that are views), roles
   out: (does the schema exist, may this role create tables in it, which of the tables exist, how
       many of them are tables, or views, as they should be, and that this role owns, which of the
       roles exist, which of those may not look into the schema, may this role let them) #}
SELECT
    n.oid IS NOT NULL,
    COALESCE(HAS_SCHEMA_PRIVILEGE(n.oid, 'CREATE'), FALSE),
    ARRAY_REMOVE(ARRAY_AGG(CAST(c.relname AS TEXT)), NULL),
    COUNT(c.oid) FILTER (WHERE c.relkind = CASE
        WHEN c.relname IN ({{ views | literals }}) THEN 'v' ELSE 'r' END
        AND PG_HAS_ROLE(c.relowner, 'USAGE')),
    ARRAY(SELECT CAST(r.rolname AS TEXT) FROM pg_roles AS r
        WHERE r.rolname = ANY(CAST(ARRAY[{{ roles | literals }}] AS TEXT[]))),
    ARRAY(
        SELECT CAST(r.rolname AS TEXT)
        FROM pg_roles AS r
        WHERE r.rolname = ANY(CAST(ARRAY[{{ roles | literals }}] AS TEXT[]))
            AND NOT HAS_SCHEMA_PRIVILEGE(r.oid, n.oid, 'USAGE')
        ORDER BY 1
    ),
    COALESCE(HAS_SCHEMA_PRIVILEGE(n.oid, 'USAGE WITH GRANT OPTION'), TRUE)
FROM (SELECT 1) AS one
LEFT JOIN pg_namespace AS n ON n.nspname = {{ schema | literal }}
LEFT JOIN pg_class AS c ON c.relnamespace = n.oid AND c.relname IN ({{ tables | literals }})
GROUP BY n.oid
