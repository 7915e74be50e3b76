{# in: table
   out: it is gone #}
DROP TABLE {{ table | ident }}
