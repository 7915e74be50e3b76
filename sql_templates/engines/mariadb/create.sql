{# in: table, columns [(name, type)]
   out: the empty table #}
CREATE TABLE {{ table | backquoted }} (
{% for name, type in columns %}
    {{ name | backquoted }} {{ type | sql_type }}{% if not loop.last %},{% endif +%}
{% endfor %}
)
