{# in: name
   out: the database is gone, with its tables #}
DROP DATABASE IF EXISTS {{ name | backquoted }}
