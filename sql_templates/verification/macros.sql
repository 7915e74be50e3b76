{# Expressions that provers compare values by; none of them is a writer's.
   out: macros #}

{# A released value as the gate compares it: as it is only where equal values are written alike,
   else as its text, which keeps minus zero, the scale of a decimal, months from days, padding and
   case apart.
   in: r (released column: kind, type, as_text, replaced), value (a reference)
   out: an expression #}
{% macro compared(r, value) %}
{% if r.replaced %}
CAST({{ value | ident }} AS VARCHAR) COLLATE "C"
{%- elif r.as_text and r.column.type == 'BPCHAR' %}
CASE WHEN {{ value | ident }} IS NOT NULL THEN CONCAT({{ value | ident }}, '') END
{%- elif r.as_text %}
CAST({{ value | ident }} AS VARCHAR)
{%- elif r.kind == 'kept' and r.type == 'VARCHAR' and r.column.type != r.type %}
CAST({{ value | ident }} AS VARCHAR) COLLATE "C"
{%- elif r.kind == 'kept' and r.type == 'VARCHAR' %}
{{ value | ident }} COLLATE "C"
{%- else %}
{{ value | ident }}
{%- endif %}
{% endmacro %}

{# What a released value must be, as the gate compares it; of a surrogate the value that it stands
   for.
   in: r (see compared), value (a reference to what is released or replaced)
   out: an expression #}
{% macro expected(r, value) %}
{% if r.replaced == 'null' %}
CAST(NULL AS VARCHAR) COLLATE "C"
{%- elif r.replaced == 'constant' %}
CAST('*' AS VARCHAR) COLLATE "C"
{%- else %}
{{ compared(r, value) }}
{%- endif %}
{% endmacro %}

{# The digits of a number's text, up to its exponent.
   in: text (a reference)
   out: an expression #}
{% macro digits(text) %}
REPLACE(REPLACE(SPLIT_PART({{ text | ident }}, 'e', 1), '-', ''), '.', '')
{%- endmacro %}

{# The text of a value with the engines' own ways evened out: where BC stands, and how a number is
   written: its digits and the place of the point before them.
   in: column (spelling), text (a reference)
   out: an expression #}
{% macro spelled(column, text) %}
{% if column.spelling == 'moment' %}
REPLACE(REPLACE({{ text | ident }}, ' (BC)', ''), ' BC', '')
    || CASE WHEN {{ text | ident }} LIKE '%BC%' THEN ' BC' ELSE '' END
{%- elif column.spelling == 'number' %}
CASE
    WHEN LOWER({{ text | ident }}) LIKE '%n%' THEN REPLACE(LOWER({{ text | ident }}), 'inity', '')
    WHEN LTRIM({{ digits(text) }}, '0') = ''
    THEN CASE WHEN {{ text | ident }} LIKE '-%' THEN '-0' ELSE '0' END
    ELSE CASE WHEN {{ text | ident }} LIKE '-%' THEN '-' ELSE '' END
        || RTRIM(LTRIM({{ digits(text) }}, '0'), '0')
        || 'e'
        || CAST(
            CAST(COALESCE(NULLIF(SPLIT_PART({{ text | ident }}, 'e', 2), ''), '0') AS INTEGER)
            + LENGTH(SPLIT_PART(REPLACE(SPLIT_PART({{ text | ident }}, 'e', 1), '-', ''), '.', 1))
            + LENGTH(LTRIM({{ digits(text) }}, '0'))
            - LENGTH({{ digits(text) }})
            AS VARCHAR
        )
END
{%- else %}
{{ text | ident }}
{%- endif %}
{% endmacro %}

{# The values of a set that is written in one text, each with a comma and a space before it and a
   comma behind it; NULL where the text is no set.
   in: value (a reference to a text)
   out: an expression #}
{% macro listed(value) %}
CASE WHEN LEFT({{ value | ident }}, 1) = '{'
    THEN CONCAT(', ', SUBSTR({{ value | ident }}, 2, LENGTH({{ value | ident }}) - 2), ',')
END
{%- endmacro %}

{# A value as a set lists it, with its commas (see listed): in double quotes where it would be read
   as something else.
   in: value (a reference to a text)
   out: an expression #}
{% macro element(value) %}
CONCAT(', ', CASE
    WHEN {{ value | ident }} IS NULL THEN 'NULL'
    WHEN {{ value | ident }} IN ('', 'NULL')
        OR {{ value | ident }} LIKE ' %' OR {{ value | ident }} LIKE '% '
        OR POSITION(',' IN {{ value | ident }}) > 0 OR POSITION('"' IN {{ value | ident }}) > 0
        OR POSITION('{' IN {{ value | ident }}) > 0 OR POSITION('}' IN {{ value | ident }}) > 0
    THEN CONCAT('"', REPLACE({{ value | ident }}, '"', '""'), '"')
    ELSE {{ value | ident }}
END, ',')
{%- endmacro %}

{# A value as a number whose differences are distances: of a date or time in days. NULL for what is
   no number.
   in: a (a coded column), value (a reference to it)
   out: an expression #}
{% macro number(a, value) %}
{% if a.column.kind == 'date' %}
CAST(DATE_DIFF('day', DATE '1970-01-01', {{ value | ident }}) AS DOUBLE)
{%- elif a.column.kind == 'timestamp' %}
CAST(DATE_DIFF('day', DATE '1970-01-01', CAST({{ value | ident }} AS DATE)) AS DOUBLE)
    + CAST(
        EXTRACT(HOUR FROM {{ value | ident }}) * 3600
        + EXTRACT(MINUTE FROM {{ value | ident }}) * 60
        + EXTRACT(SECOND FROM {{ value | ident }})
        AS DOUBLE
    ) / 86400
{%- elif a.column.kind == 'float' %}
CASE WHEN {{ value | ident }} BETWEEN -1e300 AND 1e300 THEN CAST({{ value | ident }} AS DOUBLE) END
{%- else %}
CAST({{ value | ident }} AS DOUBLE)
{%- endif %}
{% endmacro %}

{# Whether a leaf comes no later than another in the order of the domain: NULL before all; numbers
   and dates by value, leaves that are given one by one with siblings side by side, other text byte
   by byte.
   in: a (attribute), one, other (relations: rows of its dimension table)
   out: a condition; NULL where one of them is missing #}
{% macro no_later(a, one, other) %}
({{ one | ident }}.code = 0 OR ({{ other | ident }}.code <> 0 AND (
    {% if a.sorts %}
    {{ one | ident }}.value <= {{ other | ident }}.value
    {% elif a.leaves %}
    {% for level in range(a.height, 0, -1) %}
    {{ one | ident }}.g{{ level | integer }} < {{ other | ident }}.g{{ level | integer }}
    OR ({{ one | ident }}.g{{ level | integer }} = {{ other | ident }}.g{{ level | integer }} AND (
    {% endfor %}
    {{ one | ident }}.code <= {{ other | ident }}.code
    {% for level in range(a.height) %}
    ))
    {% endfor %}
    {% elif a.column.kind == 'text' %}
    {{ one | ident }}.value COLLATE "C" <= {{ other | ident }}.value COLLATE "C"
    {% else %}
    {{ one | ident }}.code <= {{ other | ident }}.code
    {% endif %}
)))
{%- endmacro %}

{# Whether an attribute is sensitive to a row.
   in: semi, i (the attribute's index), of (a reference to the row's pattern, see
       methods/local/patterns/macros)
   out: a condition #}
{% macro minded(semi, i, of) %}
{% for a in semi if a.index == i %}
CAST(
    FLOOR({{ of | ident }} / CAST({{ (2 ** semi.index(a)) | integer }} AS DOUBLE)) AS BIGINT
) % 2 = 1
{%- endfor %}
{% endmacro %}

{# The rows of a surrogate or of the value it stands for, on one side, as two sums of the weights of
   what is in their other columns.
   in: columns (of which those with surrogates count); w is a row with its side, times and weights
   out: an expression #}
{% macro rows_of(columns) %}
CONCAT(
{% for part in range(2) %}
    CAST(SUM(w.times * w.weight{{ part | integer }}) OVER (
        PARTITION BY w.side
        {% for r in columns if r.replaced == 'surrogate' %}
        , w.r{{ r.position | integer }}
        {% endfor %}
    ) AS VARCHAR){% if not loop.last %}, ' ',{% endif +%}
{% endfor %}
)
{%- endmacro %}
