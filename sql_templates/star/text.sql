{# The text of a quasi-identifying value, the same on every engine: numbers with fractions by as many of twelve
   decimals as they need.
   in: a (attribute), value (a reference, rendered already)
   out: an expression #}
{% if a.column.kind == 'float' or a.column.unbounded %}
CASE
    WHEN {{ value | ident }} BETWEEN -1000000000000000 AND 1000000000000000
    THEN RTRIM(RTRIM(CAST(CAST({% if a.column.kind == 'float' %}CAST({{ value | ident }} AS VARCHAR){% else %}{{ value | ident }}{% endif %} AS DECIMAL(34, 12)) AS VARCHAR), '0'), '.')
    ELSE CAST({{ value | ident }} AS VARCHAR)
END
{%- else %}CAST({{ value | ident }} AS VARCHAR){% endif %}