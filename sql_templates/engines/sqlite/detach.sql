{# in: name
   out: the file is no longer attached #}
DETACH DATABASE {{ name | ident }}
