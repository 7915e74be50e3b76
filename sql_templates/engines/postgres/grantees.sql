{# Who may do anything with the tables of a release, besides their owner.
   grain: one row per role
   in: schema, tables
   out: (the role, or NULL for everybody) #}
SELECT DISTINCT CAST(r.rolname AS TEXT)
FROM pg_class AS c
JOIN pg_namespace AS n ON n.oid = c.relnamespace
CROSS JOIN LATERAL ACLEXPLODE(c.relacl) AS g
LEFT JOIN pg_roles AS r ON r.oid = g.grantee
WHERE n.nspname = {{ schema | literal }} AND c.relname IN ({{ tables | literals }})
  AND g.grantee <> c.relowner
ORDER BY 1
