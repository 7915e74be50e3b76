{# The rows of a scratch table.
   grain: one row per row
   in: table
   out: a SELECT of its columns #}
SELECT t.* FROM {{ table | ident }} AS t
