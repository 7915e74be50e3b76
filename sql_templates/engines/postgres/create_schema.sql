{# in: schema, unless_there (whether it may be there already)
   out: it is there #}
CREATE SCHEMA {% if unless_there %}IF NOT EXISTS {% endif %}{{ schema | ident }}
