{# What names the groups that cells are merged into.
   out: macros #}

{# The code of a cell's group at the level of a node.
   in: a (attribute), levels {index: level}; t is what is left of the cells
   out: an expression #}
{% macro code(a, levels) %}
{% if levels[a.index] == a.min_level %}t.c#{% else %}t.g#_{{ levels[a.index] | integer }}{% endif %}
{% endmacro %}
