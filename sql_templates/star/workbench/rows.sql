{# grain: one row per row of a table
   in: table, columns
   out: its rows #}
SELECT {{ columns | listed('s.@') }} FROM {{ table | ident }} AS s
