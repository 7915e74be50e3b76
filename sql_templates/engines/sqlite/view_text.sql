{# grain: one row, where there is such a view
   in: view (database and name)
   out: the statement that it was made by #}
SELECT m.sql
FROM {{ (view[0], 'sqlite_master') | ident }} AS m
WHERE m.type = 'view' AND m.name = {{ view[1] | literal }}
