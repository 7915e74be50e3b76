{# in: name of an attached database
   out: it is detached #}
DETACH {{ name | ident }}
