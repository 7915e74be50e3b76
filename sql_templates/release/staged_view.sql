{# in: view, select (a template), tables (relations by part), and what the template takes besides
   out: the view #}
CREATE VIEW {{ view | ident }} AS
{% include select ~ '.sql' %}
