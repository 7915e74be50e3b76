{# in: table, types [(column, type)]
   out: the columns have these types, and nothing else: no default, no constraint, no comment #}
ALTER TABLE {{ table | backquoted }}
{% for name, type in types %}
    MODIFY {{ name | backquoted }} {{ type | sql_type }} NULL{% if not loop.last %},{% endif +%}
{% endfor %}
