{# How values are coded.
   out: macros #}

{# The code of a value at the least level of its attribute: 0 for NULL, -2 where the dimension table
   lacks the value.
   in: a (attribute); t is a row of combinations, d<index> the dimension table
   out: an expression #}
{% macro code(a) %}
COALESCE(d#.g{{ a.min_level | integer }}, CASE WHEN t.q# IS NULL THEN 0 ELSE -2 END)
{%- endmacro %}
