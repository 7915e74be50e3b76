{# What proofs of statistics share.
   out: macros #}

{# A label as the name of a group: NULL is a group of its own.
   in: label (a reference)
   out: an expression #}
{% macro key(label) %}
CASE WHEN {{ label | ident }} IS NULL THEN '-' ELSE '+' || {{ label | ident }} END
{%- endmacro %}
