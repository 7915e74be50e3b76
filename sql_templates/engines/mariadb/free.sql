{# grain: one row
   in: name (of a lock)
   out: whether nobody has it #}
SELECT IS_FREE_LOCK({{ name | escaped }}) AS free
