{# Who else may use a database, by a privilege on it, on its tables, or on a pattern that it
   matches; of what was granted to others, what this user may see.
   grain: one row per user
   in: schema
   out: (user) #}
SELECT DISTINCT g.GRANTEE
FROM (
    SELECT s.GRANTEE, s.TABLE_SCHEMA FROM information_schema.SCHEMA_PRIVILEGES AS s
    UNION ALL
    SELECT t.GRANTEE, t.TABLE_SCHEMA FROM information_schema.TABLE_PRIVILEGES AS t
) AS g
WHERE {{ schema | escaped }} LIKE g.TABLE_SCHEMA
    AND REPLACE(g.GRANTEE, '''', '') <> CURRENT_USER()
ORDER BY g.GRANTEE
