{# grain: one row per thing that the catalog says of a schema
   in: schema
   out: (name, value) #}
DESCRIBE DATABASE EXTENDED {{ schema | backquoted }}
