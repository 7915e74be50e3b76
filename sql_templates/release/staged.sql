{# in: table, select (a template), names (its columns but the last), ordering (the last)
   out: the table, rows in that order #}
CREATE TABLE {{ table | ident }} AS
SELECT {{ names | idents('r') }}
FROM (
    {% include select ~ '.sql' %}
) AS r
ORDER BY r.{{ ordering | ident }}
