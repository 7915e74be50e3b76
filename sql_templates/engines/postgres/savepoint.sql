{# A savepoint, so that a statement that fails does not end the transaction that it is part of.
   in: to (set, or anything else to go back to it)
   out: the savepoint is set, or what was done since it is undone #}
{% if to == 'set' %}SAVEPOINT reading{% else %}ROLLBACK TO SAVEPOINT reading{% endif +%}
