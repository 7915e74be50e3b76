{# grain: one row per table, view, index or trigger of an attached file
   in: database
   out: (kind, name) #}
SELECT m.type, m.name
FROM {{ (database, 'sqlite_master') | ident }} AS m
WHERE m.name NOT LIKE 'sqlite_%'
ORDER BY m.type, m.name
