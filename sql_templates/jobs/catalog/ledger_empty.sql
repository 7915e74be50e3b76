{# in: table
   out: it has no rows #}
DELETE FROM {{ table | ident }}
