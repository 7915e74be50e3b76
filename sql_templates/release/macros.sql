{# Values as they are released.
   out: macros #}

{# A column that is kept as it is.
   in: r (released column); s is the source
   out: an expression #}
{% macro kept(r) %}
{% if r.column.type != r.type %}
CAST(s.{{ r.column.name | ident }} AS {{ r.type | sql_type }})
{%- else %}
s.{{ r.column.name | ident }}
{%- endif %}
{% endmacro %}
