{# grain: one row, where there is such a view
   in: view (schema and name)
   out: the query that it is #}
SELECT pg_catalog.pg_get_viewdef(c.oid)
FROM pg_catalog.pg_class AS c
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = {{ view[0] | literal }} AND c.relname = {{ view[1] | literal }}
    AND c.relkind = 'v'
