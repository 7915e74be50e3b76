{# A SELECT kept as a scratch table.
   in: name, select (a template) with what it takes
   out: the table #}
CREATE TABLE {{ name | ident }} AS
{% include select ~ '.sql' %}
