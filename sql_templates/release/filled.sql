{# in: table, select (a template), names (its columns but the last), ordering (the last)
   out: the rows of the template in the table, in that order #}
INSERT INTO {{ table | ident }} ({{ names | idents }})
SELECT {{ names | idents('r') }}
FROM (
    {% include select ~ '.sql' %}
) AS r
ORDER BY r.{{ ordering | ident }}
