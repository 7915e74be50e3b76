{# A released value as the gate compares it: as it is only where equal values are written alike,
   else as its text, which keeps minus zero,
   the scale of a decimal, months from days, padding and case apart.
   in: r (released column: kind, type, as_text), value (a reference)
   out: an expression #}
{% if r.as_text and r.column.type == 'BPCHAR' %}CASE WHEN {{ value | ident
    }} IS NOT NULL THEN CONCAT({{ value | ident }}, '') END
{%- elif r.as_text %}CAST({{ value | ident }} AS VARCHAR)
{%- elif r.kind == 'kept' and r.type == 'VARCHAR' %}{% if r.column.type != r.type %}CAST({{ value |
    ident }} AS VARCHAR){% else %}{{ value | ident }}{% endif %} COLLATE "C"
{%- else %}{{ value | ident }}{% endif %}
