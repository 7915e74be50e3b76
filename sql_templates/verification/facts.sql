{# Columns of a table as they stand there: a release's facts, or what a proof works with.
   grain: one row per row
   in: table, columns
   out: the columns #}
SELECT {{ columns | idents('f') }}
FROM {{ table | ident }} AS f
