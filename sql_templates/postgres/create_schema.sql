{# in: schema
   out: the schema #}
CREATE SCHEMA {{ schema | ident }}
