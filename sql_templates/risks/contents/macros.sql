{# What values hold, as text.
   out: macros #}

{# A value as the text that is looked into: bytes, and DuckDB's bits, are decoded as UTF-8 where they
   can be.
   in: name, type (of the column of s)
   out: an expression #}
{% macro content(name, type) %}
{% if type == 'BLOB' %}
COALESCE(TRY(DECODE(s.{{ name | ident }})), CAST(s.{{ name | ident }} AS VARCHAR))
{% elif type == 'BIT' %}
COALESCE(TRY(DECODE(CAST(s.{{ name | ident }} AS BLOB))), CAST(s.{{ name | ident }} AS VARCHAR))
{% else %}
CAST(s.{{ name | ident }} AS VARCHAR)
{% endif %}
{% endmacro %}
