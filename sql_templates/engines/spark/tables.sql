{# grain: one row per table or view
   in: schema (or none for the current one)
   out: (schema, name, whether it is the session's own) #}
SHOW TABLES{% if schema %} IN {{ schema | backquoted }}{% endif +%}
