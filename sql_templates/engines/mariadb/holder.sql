{# grain: one row
   in: name (of a lock)
   out: (number of the connection that has it) #}
SELECT IS_USED_LOCK({{ name | escaped }}) AS holder
