{# in: table
   out: it is gone, if it was there #}
DROP TABLE IF EXISTS {{ table | backquoted }}
