{# Values whose order, or number, is held against the place of their row.
   out: macros #}

{# A value as it is put in order: numbers and moments as they are, all else as text, byte by byte.
   in: v (name, text: whether it is text); r is the relation it comes from
   out: an expression #}
{% macro ordered(v) %}
{% if v.text %}CAST(r.{{ v.name | ident }} AS VARCHAR) COLLATE "C"{% else %}r.{{ v.name | ident }}
{%- endif %}
{%- endmacro %}
