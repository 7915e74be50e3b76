{# in: table, columns [(name, type)]
   out: the empty table #}
CREATE TABLE {{ table | spark_ident }} (
{% for name, type in columns %}
    {{ name | spark_ident }} {{ type | sql_type }}{% if not loop.last %},{% endif +%}
{% endfor %}
)
