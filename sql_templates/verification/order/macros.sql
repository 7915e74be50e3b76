{# What rows are sorted by.
   out: macros #}

{# A value, or its text as it is compared byte by byte.
   in: key (name, whether as text); r is the relation it comes from
   out: an expression #}
{% macro compared(key) %}
{% if key[1] %}CAST(r.{{ key[0] | ident }} AS VARCHAR) COLLATE "C"{% else %}r.{{ key[0] | ident }}
{%- endif %}
{%- endmacro %}
