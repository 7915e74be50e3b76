{# Columns of a table of numbers.
   grain: one row per row
   in: table, columns
   out: the columns #}
SELECT {{ columns | idents('t') }}
FROM {{ table | ident }} AS t
