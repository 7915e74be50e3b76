{# Values of a CSV file: how they are mended, and which of them are of a type.
   out: macros #}

{# The number that a text may be, with a point before its decimals.
   in: v (a reference to the text), comma (whether the decimal mark is a comma)
   out: an expression #}
{% macro number(v, comma) -%}
{% if comma -%}
REPLACE(REPLACE({{ v | ident }}, '.', ''), ',', '.')
{%- else -%}
{{ v | ident }}
{%- endif %}
{%- endmacro %}

{# Whether a text is no number of one of the usual spellings: no leading zeros, no sign but a minus.
   in: v (a reference to the text), comma (whether the decimal mark is a comma)
   out: a condition #}
{% macro no_number(v, comma) -%}
{% if comma -%}
NOT REGEXP_FULL_MATCH({{ v | ident }},
    '-?(0|[1-9][0-9]{0,2}(\.[0-9]{3})+|[1-9][0-9]*)(,[0-9]+)?([eE][+-]?[0-9]+)?')
{%- else -%}
NOT REGEXP_FULL_MATCH({{ v | ident }}, '-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?')
{%- endif %}
{%- endmacro %}

{# A value of a file as it is read: without blanks, NULL where it is missing, in one case.
   in: c (column: field, trim, texts, numbers and days that mean NULL, case, comma, format); f is
       the file
   out: an expression #}
{% macro mended(c) -%}
{% if c.case == 'lower' %}LOWER({% elif c.case == 'upper' %}UPPER({% endif %}
{% if c.missing %}
CASE
    WHEN {{ bare(c) }} IN ({{ c.texts | literals }}) THEN NULL
    {% if c.numbers %}
    WHEN TRY_CAST({{ number(['f', c.field], c.comma) }} AS DOUBLE) IN ({{ c.numbers | literals }})
        AND NOT {{ no_number(['f', c.field], c.comma) }} THEN NULL
    {% endif %}
    {% if c.days and c.format %}
    WHEN TRY_STRPTIME({{ bare(c) }}, {{ c.format | literal }}) IN ({{ c.days | literals }})
        THEN NULL
    {% endif %}
    ELSE {{ bare(c) }}
END
{%- else -%}
{{ bare(c) }}
{%- endif %}
{% if c.case %}){% endif %}
{%- endmacro %}

{# A text without blanks around it, and without the quotes that stand between these.
   in: v (a reference to the text), blanks
   out: an expression #}
{% macro unpadded(v, blanks) -%}
CASE
    WHEN REGEXP_MATCHES({{ v | ident }}, {{ ('^[' ~ blanks ~ ']|[' ~ blanks ~ ']$') | literal }})
        THEN TRIM(
            REGEXP_REPLACE(TRIM({{ v | ident }}, {{ blanks | literal }}), '^"([^"]*)"$', '\1'),
            {{ blanks | literal }}
        )
    ELSE {{ v | ident }}
END
{%- endmacro %}

{# A value of a file without blanks around it, if these are to be removed.
   in: c (column); f is the file
   out: an expression #}
{% macro bare(c) -%}
{% if c.trim -%}
NULLIF({{ unpadded(['f', c.field], c.blanks) }}, '')
{%- else -%}
f.{{ c.field | ident }}
{%- endif %}
{%- endmacro %}

{# The value of a text in a type; NULL where it is none.
   in: v (a reference to the text), type, comma (whether the decimal mark is a comma), format (of
       dates, or none)
   out: an expression #}
{% macro value(v, type, comma, format) -%}
{% if type in ('DATE', 'TIMESTAMP') and format -%}
{% if type == 'DATE' %}CAST({% endif -%}
TRY_STRPTIME({{ v | ident }}, {{ format | literal }})
{%- if type == 'DATE' %} AS DATE){% endif %}
{%- elif type == 'VARCHAR' -%}
{{ v | ident }}
{%- else -%}
TRY_CAST({{ number(v, comma and type not in ('BOOLEAN', 'DATE', 'TIMESTAMP')) }}
    AS {{ type | sql_type }})
{%- endif %}
{%- endmacro %}

{# The value of a text in a type, which another column may have already.
   in: what value takes, x (a reference to the value, or none)
   out: an expression #}
{% macro known(v, type, comma, format, x) -%}
{% if x %}{{ x | ident }}{% else %}{{ value(v, type, comma, format) }}{% endif %}
{%- endmacro %}

{# Whether a text is no value of a type that was found: one that would not come back as it was
   written (02139 is no number), a number of more digits than a floating point number has, or a date
   of another format. In the first thousand years, a year of two digits is meant.
   in: v (a reference to the text), type (DECIMAL: of any digits; none: no value is known), comma,
       format, x (a reference to the value of the text in the type, where there is one)
   out: a condition, which may be NULL where it does not hold #}
{% macro misfit(v, type, comma, format, x=none) -%}
{% if type is none -%}
{{ v | ident }} IS NOT NULL
{%- elif type == 'BIGINT' -%}
CAST({{ known(v, type, comma, format, x) }} AS VARCHAR) IS DISTINCT FROM {{ number(v, comma) }}
OR {{ known(v, type, comma, format, x) }} NOT BETWEEN -999999999999999999 AND 999999999999999999
{%- if comma %} OR {{ no_number(v, comma) }}{% endif %}
{%- elif type == 'DECIMAL' -%}
{% if comma %}{{ no_number(v, comma) }} OR {% endif -%}
NOT REGEXP_FULL_MATCH({{ number(v, comma) }}, '-?(0|[1-9][0-9]{0,14})\.[0-9]{1,9}')
OR REGEXP_FULL_MATCH({{ number(v, comma) }}, '-[0.]*')
{%- elif type.startswith('DECIMAL') -%}
CAST({{ known(v, type, comma, format, x) }} AS VARCHAR) IS DISTINCT FROM {{ number(v, comma) }}
OR ABS({{ known(v, type, comma, format, x) }}) >= 1000000000000000
{%- if comma %} OR {{ no_number(v, comma) }}{% endif %}
{%- elif type == 'DOUBLE' -%}
{{ no_number(v, comma) }}
OR ISINF({{ known(v, type, comma, format, x) }})
OR CASE
    WHEN STRLEN({{ v | ident }}) <= 17 THEN FALSE
    ELSE STRLEN(LTRIM(REGEXP_REPLACE({{ v | ident }}, '[eE].*|[-.,]', '', 'g'), '0')) > 17
END
{%- elif type == 'BOOLEAN' -%}
{{ v | ident }} NOT IN ('true', 'false')
{%- elif format -%}
{{ v | ident }} IS NOT NULL
AND COALESCE({{ known(v, type, comma, format, x) }} < TIMESTAMP '1000-01-01', TRUE)
{%- elif type in ('DATE', 'TIMESTAMP') -%}
CAST({{ known(v, type, comma, format, x) }} AS VARCHAR) IS DISTINCT FROM {{ v | ident }}
{%- else -%}
FALSE
{%- endif %}
{%- endmacro %}

{# Whether a text is no value of a type that the policy gives, or would be rounded by it.
   in: v (a reference to the text), type, kind (of the type), comma, format,
       x (as of misfit)
   out: a condition, which may be NULL where it does not hold #}
{% macro uncast(v, type, kind, comma, format, x=none) -%}
{% if format and type in ('DATE', 'TIMESTAMP') -%}
{{ misfit(v, type, comma, format, x) }}
{%- elif type == 'VARCHAR' -%}
FALSE
{%- else -%}
{{ v | ident }} IS NOT NULL
AND (
    {{ known(v, type, comma, format, x) }} IS NULL
    {% if kind in ('integer', 'decimal') %}
    OR TRY_CAST({{ number(v, comma) }} AS DOUBLE)
    IS DISTINCT FROM CAST({{ known(v, type, comma, format, x) }} AS DOUBLE)
    {% elif kind == 'date' %}
    OR TRY_CAST({{ v | ident }} AS TIMESTAMP)
    IS DISTINCT FROM CAST({{ known(v, type, comma, format, x) }} AS TIMESTAMP)
    {% endif %}
    {% if comma and kind in ('integer', 'decimal', 'float') %}
    OR {{ no_number(v, comma) }}
    {% endif %}
)
{%- endif %}
{%- endmacro %}
