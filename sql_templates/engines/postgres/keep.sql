{# in: table, scratch (a table)
   out: the table, with the rows of that, as durable as any #}
CREATE TABLE {{ table | ident }} AS
SELECT s.* FROM {{ scratch | ident }} AS s
