{# A table or view of an attached database as a table in memory, its rows in their order.
   grain: one row per row of it
   in: name (under which the database is attached), table
   out: the table #}
CREATE TABLE memory.main.{{ table | ident }} AS
SELECT * FROM {{ [name, 'main', table] | ident }} AS r
