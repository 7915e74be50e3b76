{# in: name
   out: the database is there #}
CREATE DATABASE IF NOT EXISTS {{ name | spark_ident }} CHARACTER SET utf8mb4
