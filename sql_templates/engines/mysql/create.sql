{# in: table, columns [(name, type)]
   out: the empty table #}
CREATE TABLE {{ table | ident }} (
{% for name, type in columns %}
    {{ name | ident }} {{ type | sql_type }}{% if not loop.last %},{% endif +%}
{% endfor %}
)
