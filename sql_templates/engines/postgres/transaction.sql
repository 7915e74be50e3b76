{# Where a transaction begins and ends: everything in it sees the data of one moment.
   in: to (begin, commit, or anything else to roll back)
   out: a transaction has begun or ended #}
{% if to == 'begin' %}BEGIN ISOLATION LEVEL REPEATABLE READ{% elif to == 'commit' %}COMMIT
    {% else %}ROLLBACK{% endif +%}
