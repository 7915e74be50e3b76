{# A quasi-identifying value as every statement takes it: minus zero is zero, text is compared byte
   by byte whatever its collation, enumerations are text.
   in: a (attribute), side (the relation it comes from)
   out: an expression #}
{% if a.cast %}CAST({{ side | ident }}.{{ a.name | ident }} AS {{ a.cast | sql_type }})
{%- elif a.column.kind == 'text' %}{{ side | ident }}.{{ a.name | ident }} COLLATE "C"
{%- elif a.column.kind == 'float' %}CASE
    WHEN {{ side | ident }}.{{ a.name | ident }} = 0 THEN CAST(0 AS {{ a.column.type | sql_type }})
    ELSE {{ side | ident }}.{{ a.name | ident }} END
{%- else %}{{ side | ident }}.{{ a.name | ident }}{% endif %}