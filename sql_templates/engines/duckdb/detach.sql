{# in: name of a database
   out: it is not attached any more #}
DETACH DATABASE IF EXISTS {{ name | ident }}
