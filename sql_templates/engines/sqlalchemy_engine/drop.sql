{# in: table
   out: the table is gone #}
DROP TABLE IF EXISTS {{ table | ident }}
