{# Changed values as they are released; s is the source, with the drawn columns.
   out: macros #}

{# A number rounded to the nearest multiple of another, halves away from 0.
   in: r (recoded column: name, made, round, unit)
   out: an expression #}
{% macro rounded(r) %}
{% if r.round is none %}
s.{{ r.name | ident }}
{%- elif r.unit is none %}
CASE
    WHEN s.{{ r.name | ident }} < 0
    THEN 0 - FLOOR(0.5 - s.{{ r.name | ident }} / CAST({{ r.round | number }} AS DOUBLE))
        * CAST({{ r.round | number }} AS DOUBLE)
    ELSE FLOOR(s.{{ r.name | ident }} / CAST({{ r.round | number }} AS DOUBLE) + 0.5)
        * CAST({{ r.round | number }} AS DOUBLE)
END
{%- else %}
CAST(s.{{ r.name | ident }} AS {{ r.made | sql_type }}) - {{ rest(r) }} + CASE
    WHEN 2 * ABS({{ rest(r) }}) < CAST({{ r.round | number }} AS {{ r.made | sql_type }})
    THEN CAST(0 AS {{ r.made | sql_type }})
    WHEN s.{{ r.name | ident }} < 0
    THEN CAST(-{{ r.round | number }} AS {{ r.made | sql_type }})
    ELSE CAST({{ r.round | number }} AS {{ r.made | sql_type }})
END
{%- endif %}
{% endmacro %}

{# What is left of an exact number above the multiple before it, towards 0.
   in: r (recoded column)
   out: an expression #}
{% macro rest(r) %}
MOD(
    CAST(s.{{ r.name | ident }} AS {{ r.made | sql_type }}),
    CAST({{ r.round | number }} AS {{ r.made | sql_type }})
)
{%- endmacro %}

{# A number as it is released: rounded, and held between the least and the greatest that are told.
   in: r (recoded column: name, made, top, bottom, round, unit)
   out: an expression #}
{% macro recoded_value(r) %}
CAST(CASE
    WHEN s.{{ r.name | ident }} IS NULL THEN NULL
    {% if r.top is not none %}
    WHEN {{ rounded(r) }} > CAST({{ r.top | number }} AS {{ r.made | sql_type }})
    THEN CAST({{ r.top | number }} AS {{ r.made | sql_type }})
    {% endif %}
    {% if r.bottom is not none %}
    WHEN {{ rounded(r) }} < CAST({{ r.bottom | number }} AS {{ r.made | sql_type }})
    THEN CAST({{ r.bottom | number }} AS {{ r.made | sql_type }})
    {% endif %}
    ELSE CAST({{ rounded(r) }} AS {{ r.made | sql_type }})
END AS {{ r.made | sql_type }})
{%- endmacro %}
