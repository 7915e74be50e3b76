{# in: table, select (a template), names (of its columns), ordering (a column
       besides, or none), sorted (without it: the columns that rows are sorted by, see release/macros)
   out: the rows of the template in the table, in that order #}
{% from 'release/macros.sql' import keys %}
INSERT INTO {{ table | ident }} ({{ names | idents }})
SELECT {{ names | idents('r') }}
FROM (
    {% include select ~ '.sql' %}
) AS r
{% if ordering is not none %}
ORDER BY r.{{ ordering | ident }}
{% elif sorted %}
ORDER BY {{ keys(sorted) }}
{% endif %}
