-- name: drop
{# in: table
   out: the table is gone #}
DROP TABLE IF EXISTS {{ table | ident }}

-- name: rows
{# grain: one row per row of a scratch table
   in: table, columns (name)
   out: those columns #}
SELECT {{ columns | listed('s.@') }}
FROM {{ table | ident }} AS s
