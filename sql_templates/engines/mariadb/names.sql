{# grain: one row per table or view of a database
   in: schema
   out: (name, whether it is a table) #}
SELECT t.TABLE_NAME, t.TABLE_TYPE = 'BASE TABLE' AS plain
FROM information_schema.TABLES AS t
WHERE t.TABLE_SCHEMA = {{ schema | escaped }}
ORDER BY t.TABLE_NAME
