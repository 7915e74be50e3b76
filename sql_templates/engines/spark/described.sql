{# grain: one row per column of a table or view, and per thing that the catalog says of it
   in: relation
   out: (name, type or value, comment) #}
DESCRIBE TABLE EXTENDED {{ relation | backquoted }}
