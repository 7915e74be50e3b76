{# grain: one row
   in: table
   out: its rows #}
SELECT COUNT(*) AS total FROM {{ table | ident }} AS x
