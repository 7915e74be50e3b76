{# in: schema
   out: the schema, made if it was not there #}
CREATE SCHEMA IF NOT EXISTS {{ schema | ident }}
