{# in: name, collation
   out: an empty database, whose texts are compared byte by byte #}
CREATE DATABASE {{ name | backquoted }} CHARACTER SET utf8mb4 COLLATE {{ collation | sql_type }}
