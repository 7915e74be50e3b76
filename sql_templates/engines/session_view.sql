{# A scratch view where views of a schema cannot read all that a session can.
   in: view, select (a template), and what the template takes besides
   out: the view, of this session alone #}
CREATE TEMPORARY VIEW {{ view | ident }} AS
{% include select ~ '.sql' %}
