{# grain: one row per function that somebody made in a schema
   in: schema
   out: (name, with its schema) #}
SHOW USER FUNCTIONS IN {{ schema | backquoted }}
