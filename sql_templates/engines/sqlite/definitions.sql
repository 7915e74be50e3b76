{# grain: one row per object of an attached file, in the order in which they were made
   in: database
   out: (kind, name, the statement that it was made by) #}
SELECT m.type, m.name, m.sql
FROM {{ (database, 'sqlite_master') | ident }} AS m
ORDER BY m.rowid
