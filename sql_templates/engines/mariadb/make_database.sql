{# in: name
   out: the database is there #}
CREATE DATABASE IF NOT EXISTS {{ name | backquoted }} CHARACTER SET utf8mb4
