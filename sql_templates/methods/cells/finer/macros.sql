{# What cells are at the levels of a generalization.
   out: macros #}

{# The code, or the loss, of a cell at the level that a generalization has.
   in: a (attribute), kind (g or w); t is the cell, w the generalization
   out: an expression #}
{% macro at(a, kind) %}
CASE w.l#
{%- for level in range(a.min_level, a.max_level + 1) %}
 WHEN {{ level | integer }} THEN t.{{ (kind ~ a.index ~ '_' ~ level) | ident }}
{%- endfor %}
 END
{%- endmacro %}
