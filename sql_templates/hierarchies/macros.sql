{# How the values of built-in hierarchies are recognized.
   out: macros #}

{# The first characters of a code, in capitals; NULL where it is too short.
   in: value (a reference), length (how many characters), least (how many a code has), zeros
       (whether numbers are filled up to as many digits)
   out: an expression #}
{% macro key(value, length, least, zeros) %}
UPPER(LEFT(
{% if zeros %}
    CASE WHEN {{ value | ident }} BETWEEN 0 AND 99999
        THEN LPAD(CAST({{ value | ident }} AS VARCHAR), {{ least | integer }}, '0') END
{% else %}
    CASE WHEN LENGTH(CAST({{ value | ident }} AS VARCHAR)) >= {{ least | integer }}
        THEN CAST({{ value | ident }} AS VARCHAR) END
{% endif %}
    , {{ length | integer }}))
{%- endmacro %}

{# A text in lower case, with a blank for each hyphen or underscore and none around it.
   in: a (attribute), side (the relation), column
   out: an expression #}
{% macro spelling(a, side, column) %}
LOWER(TRIM(REPLACE(REPLACE({{ a | text(side, column) }}, '-', ' '), '_', ' ')))
{%- endmacro %}
