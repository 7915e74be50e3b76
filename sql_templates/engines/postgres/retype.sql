{# in: table, types [(column, type)]
   out: the columns have these types; no value changes #}
ALTER TABLE {{ table | ident }}
{% for name, type in types %}
    ALTER COLUMN {{ name | ident }} TYPE {{ type | sql_type }}{% if not loop.last %},{% endif +%}
{% endfor %}
