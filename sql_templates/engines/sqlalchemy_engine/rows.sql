{# grain: one row per row of a scratch table
   in: table, columns (their names)
   out: those columns #}
SELECT {{ columns | idents('s') }}
FROM {{ table | ident }} AS s
