{# in: schema, role
   out: the role may not look into the schema, nor make anything there #}
REVOKE ALL ON SCHEMA {{ schema | ident }} FROM {{ role | ident }}
