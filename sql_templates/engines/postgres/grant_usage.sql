{# in: schema, role
   out: the role may look into the schema #}
GRANT USAGE ON SCHEMA {{ schema | ident }} TO {{ role | ident }}
