-- name: rows
{# How many rows a table has.
   grain: one row
   in: table
   out: (rows) #}
SELECT COUNT(*) AS n FROM {{ table | ident }} AS t

-- name: table
{# A SELECT kept as a scratch table.
   in: name, select (a template) with what it takes
   out: the table #}
CREATE TABLE {{ name | ident }} AS
{% include select ~ '.sql' %}
