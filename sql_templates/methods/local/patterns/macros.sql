{# How cells are withheld from rows.
   out: macros #}

{# The code of a cell: -1 where it is withheld, -2 where the dimension table lacks the value.
   in: a (attribute), semi, row (t or m, which has q<index>); d<index> is the dimension table, p the
       row of patterns joined
   out: an expression #}
{% macro code(a, semi, row) %}
{% if a in semi %}CASE WHEN p.f# = 1 THEN -1 ELSE {% endif -%}
COALESCE(d#.g{{ a.min_level | integer }}, CASE WHEN {{ row | ident }}.q# IS NULL THEN 0 ELSE -2 END)
{%- if a in semi %} END{% endif %}
{% endmacro %}

{# What is withheld of a row, as one number.
   in: semi; m is a row of marked
   out: an expression #}
{% macro pattern(semi) %}
CAST({% for a in semi %}m.w# * CAST({{ (2 ** loop.index0) | integer }} AS BIGINT) + {% endfor %}
0 AS BIGINT)
{%- endmacro %}
