{# in: schema
   out: names without a schema mean tables of that one #}
SET search_path TO {{ schema | ident }}, pg_catalog
