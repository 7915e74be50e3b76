{# grain: one row
   in: name (of a lock), seconds (to wait for it)
   out: whether this connection has it from now on #}
SELECT GET_LOCK({{ name | escaped }}, {{ seconds | integer }}) AS own
