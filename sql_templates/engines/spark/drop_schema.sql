{# in: schema
   out: it is gone with all that is in it, if it was there #}
DROP DATABASE IF EXISTS {{ schema | backquoted }} CASCADE
