{# in: table, columns [(name, type)]
   out: the empty table #}
CREATE TABLE {{ table | ident }} (
{% for name, type in columns %}
    {{ name | ident }}{% if type %} {{ type | sql_type }}{% endif %}
    {% if not loop.last %},{% endif +%}
{% endfor %}
)
