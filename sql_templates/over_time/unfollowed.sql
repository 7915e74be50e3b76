{# in: view
   out: it is gone, if it was there #}
DROP VIEW IF EXISTS {{ view | ident }}
