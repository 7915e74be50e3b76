{# in: collation
   out: literals are UTF-8, and compared byte by byte #}
SET NAMES utf8mb4 COLLATE {{ collation | sql_type }}
