{# Views that read a release: a table that they read cannot be replaced.
   grain: one row per view
   in: schema, tables, own (views of the release itself, which go with it)
   out: (its name) #}
SELECT DISTINCT v.oid::regclass::text
FROM pg_depend AS d
JOIN pg_rewrite AS w ON w.oid = d.objid
JOIN pg_class AS v ON v.oid = w.ev_class
JOIN pg_class AS c ON c.oid = d.refobjid
JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass
  AND n.nspname = {{ schema | literal }} AND c.relname IN ({{ tables | literals }})
      AND v.oid <> c.oid
  AND NOT (v.relnamespace = n.oid AND v.relname IN ({{ own | literals }}))
ORDER BY 1
