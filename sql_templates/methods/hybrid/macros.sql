{# How groups differ.
   out: macros #}

{# In how many attributes two groups differ.
   in: attributes; a and b are the groups
   out: an expression #}
{% macro differing(attributes) %}
{{ attributes | each('CASE WHEN a.c# = b.c# THEN 0 ELSE 1 END', ' + ') }}
{%- endmacro %}
