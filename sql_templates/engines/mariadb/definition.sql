{# grain: one row
   in: table
   out: (name, the statement that would make the table as it is) #}
SHOW CREATE TABLE {{ table | backquoted }}
