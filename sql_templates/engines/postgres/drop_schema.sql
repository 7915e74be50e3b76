{# in: schema
   out: it is gone with all that is in it #}
DROP SCHEMA {{ schema | ident }} CASCADE
