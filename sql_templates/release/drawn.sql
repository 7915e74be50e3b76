{# Rows with their place in a random order, written down so that it stays what it is
   (anonsql.engines.spark).
   in: table, select (a template), names (its columns but the last), ordering (the last)
   out: the table(names, ordering), rows in no order #}
CREATE TABLE {{ table | ident }} AS
SELECT {{ names | idents('r') }}, r.{{ ordering | ident }}
FROM (
    {% include select ~ '.sql' %}
) AS r
