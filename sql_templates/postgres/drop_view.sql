{# in: table (a view)
   out: it is gone #}
DROP VIEW {{ table | ident }}
