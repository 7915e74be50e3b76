{# grain: one row per table or view that the user sees
   out: (database, name) #}
SELECT t.TABLE_SCHEMA, t.TABLE_NAME
FROM information_schema.TABLES AS t
WHERE t.TABLE_SCHEMA NOT IN ('information_schema', 'mysql', 'performance_schema', 'sys')
    AND t.TABLE_SCHEMA NOT LIKE 'anonsql_scratch_%'
ORDER BY t.TABLE_SCHEMA, t.TABLE_NAME
