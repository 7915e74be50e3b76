{# grain: one row per row of a scratch table
   in: table, columns (name)
   out: those columns #}
SELECT {{ columns | listed('s.@') }}
FROM {{ table | ident }} AS s
