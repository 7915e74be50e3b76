{# Give a file a view of another one without running what the view says.
   in: original (database), database, view (its name)
   out: the view, last of all objects #}
INSERT INTO {{ (database, 'sqlite_master') | ident }} (type, name, tbl_name, rootpage, sql)
SELECT m.type, m.name, m.tbl_name, m.rootpage, m.sql
FROM {{ (original, 'sqlite_master') | ident }} AS m
WHERE m.type = 'view' AND m.name = {{ view | literal }}
