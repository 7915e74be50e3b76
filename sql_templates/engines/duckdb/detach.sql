{# Detach a database file, if it is attached.
   in: name (under which it is attached)
   out: the database is no longer attached #}
DETACH DATABASE IF EXISTS {{ name | ident }}
