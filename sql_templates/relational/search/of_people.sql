{# The rows of some people.
   grain: one row per row
   in: table, column (of it, that says whose a row is), people (a table of ids)
   out: a SELECT of the columns of the table #}
SELECT t.*
FROM {{ table | ident }} AS t
JOIN {{ people | ident }} AS x ON x.id = t.{{ column | ident }}
