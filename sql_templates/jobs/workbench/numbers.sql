{# Whole numbers of a scratch table, to be carried to the workbench.
   grain: one row per row of the table
   in: table, columns (names)
   out: the columns, 0 where NULL stands for a value that the population alone has #}
SELECT {{ columns | idents('t') }} FROM {{ table | ident }} AS t
