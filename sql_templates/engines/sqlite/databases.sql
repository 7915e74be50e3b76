{# grain: one row per attached file
   out: (number, name, path) #}
PRAGMA database_list
