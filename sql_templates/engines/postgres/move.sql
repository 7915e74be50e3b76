{# in: table, schema
   out: the table lies in that schema #}
ALTER TABLE {{ table | ident }} SET SCHEMA {{ schema | ident }}
