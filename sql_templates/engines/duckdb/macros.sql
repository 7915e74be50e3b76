{# Values of a CSV file: how they are mended, and which of them are of a type.
   out: macros #}

{# The number that a text may be, with a point before its decimals and nothing between thousands.
   in: v (a reference to the text), mark (the decimal mark that the policy gives: then the other one
       may stand between thousands; none: a point, and nothing between thousands)
   out: an expression #}
{% macro number(v, mark) -%}
{% if mark == ',' -%}
REPLACE(REPLACE({{ v | ident }}, '.', ''), ',', '.')
{%- elif mark -%}
REPLACE({{ v | ident }}, ',', '')
{%- else -%}
{{ v | ident }}
{%- endif %}
{%- endmacro %}

{# Whether a text is no number of one of the usual spellings: no leading zeros, no sign but a minus.
   in: v (a reference to the text), mark (see number)
   out: a condition #}
{% macro no_number(v, mark) -%}
{% if mark == ',' -%}
NOT REGEXP_FULL_MATCH({{ v | ident }},
    '-?(0|[1-9][0-9]{0,2}(\.[0-9]{3})+|[1-9][0-9]*)(,[0-9]+)?([eE][+-]?[0-9]+)?')
{%- elif mark -%}
NOT REGEXP_FULL_MATCH({{ v | ident }},
    '-?(0|[1-9][0-9]{0,2}(,[0-9]{3})+|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?')
{%- else -%}
NOT REGEXP_FULL_MATCH({{ v | ident }}, '-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?')
{%- endif %}
{%- endmacro %}

{# A value of a file as it is read: NULL where it is missing, in one case.
   in: c (column: field, texts, numbers and days that mean NULL, case, mark, format); t is the file,
       with blanks removed
   out: an expression #}
{% macro mended(c) -%}
{% if c.missing %}
CASE
    WHEN t.{{ c.field | ident }} IN ({{ c.texts | literals }}) THEN NULL
    {% if c.case %}
    WHEN {{ cased(['t', c.field], c.case) }} IN (
        {% for text in c.texts %}
        {% if c.case == 'lower' %}LOWER({% else %}UPPER({% endif %}{{ text | literal }})
        {%- if not loop.last %}, {% endif %}
        {% endfor %}
    ) THEN NULL
    {% endif %}
    {% if c.numbers %}
    WHEN TRY_CAST({{ number(['t', c.field], c.mark) }} AS DOUBLE) IN ({{ c.numbers | literals }})
        AND NOT {{ no_number(['t', c.field], c.mark) }} THEN NULL
    {% endif %}
    {% if c.days and c.format %}
    WHEN TRY_STRPTIME(t.{{ c.field | ident }}, {{ c.format | literal }}) IN ({{ c.days | literals }})
        THEN NULL
    {% endif %}
    ELSE {{ cased(['t', c.field], c.case) }}
END
{%- else -%}
{{ cased(['t', c.field], c.case) }}
{%- endif %}
{%- endmacro %}

{# A text in one case.
   in: v (a reference to the text), case (lower, upper, or none: as it is)
   out: an expression #}
{% macro cased(v, case) -%}
{% if case == 'lower' %}LOWER({% elif case == 'upper' %}UPPER({% endif %}{{ v | ident }}
{%- if case %}){% endif %}
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

{# A value of a file without blanks around it, if these are to be removed; NULL where nothing is left.
   in: c (column: field, trim, blanks); f is the file
   out: an expression #}
{% macro bare(c) -%}
{% if c.trim -%}
NULLIF({{ unpadded(['f', c.field], c.blanks) }}, '')
{%- else -%}
f.{{ c.field | ident }}
{%- endif %}
{%- endmacro %}

{# The value of a text in a type; NULL where it is none.
   in: v (a reference to the text), type, mark (see number), format (of
       dates, or none)
   out: an expression #}
{% macro value(v, type, mark, format) -%}
{% if type in ('DATE', 'TIMESTAMP') and format -%}
{% if type == 'DATE' %}CAST({% endif -%}
TRY_STRPTIME({{ v | ident }}, {{ format | literal }})
{%- if type == 'DATE' %} AS DATE){% endif %}
{%- elif type == 'VARCHAR' -%}
{{ v | ident }}
{%- else -%}
TRY_CAST({{ number(v, none if type in ('BOOLEAN', 'DATE', 'TIMESTAMP') else mark) }}
    AS {{ type | sql_type }})
{%- endif %}
{%- endmacro %}

{# The value of a text in a type, which another column may have already.
   in: v, type, mark, format (as value takes them), x (a reference to the value, or none)
   out: an expression #}
{% macro known(v, type, mark, format, x) -%}
{% if x %}{{ x | ident }}{% else %}{{ value(v, type, mark, format) }}{% endif %}
{%- endmacro %}

{# Whether a text is no value of a type that was found: one that would not come back as it was
   written (02139 is no number), a number of more digits than a floating point number has, or a date
   of another format. In the first thousand years, a year of two digits is meant.
   in: v (a reference to the text), type (DECIMAL: of any digits; none: no value is known), mark,
       format, x (a reference to the value of the text in the type, where there is one)
   out: a condition, which may be NULL where it does not hold #}
{% macro misfit(v, type, mark, format, x=none) -%}
{% if type is none -%}
{{ v | ident }} IS NOT NULL
{%- elif type == 'BIGINT' -%}
CAST({{ known(v, type, mark, format, x) }} AS VARCHAR) IS DISTINCT FROM {{ number(v, mark) }}
OR {{ known(v, type, mark, format, x) }} NOT BETWEEN -999999999999999999 AND 999999999999999999
{%- if mark %} OR {{ no_number(v, mark) }}{% endif %}
{%- elif type == 'DECIMAL' -%}
{% if mark %}{{ no_number(v, mark) }} OR {% endif -%}
NOT REGEXP_FULL_MATCH({{ number(v, mark) }}, '-?(0|[1-9][0-9]{0,14})\.[0-9]{1,9}')
OR REGEXP_FULL_MATCH({{ number(v, mark) }}, '-[0.]*')
{%- elif type.startswith('DECIMAL') -%}
CAST({{ known(v, type, mark, format, x) }} AS VARCHAR) IS DISTINCT FROM {{ number(v, mark) }}
OR ABS({{ known(v, type, mark, format, x) }}) >= 1000000000000000
{%- if mark %} OR {{ no_number(v, mark) }}{% endif %}
{%- elif type == 'DOUBLE' -%}
{{ no_number(v, mark) }}
OR ISINF({{ known(v, type, mark, format, x) }})
OR CASE
    WHEN STRLEN({{ v | ident }}) <= 17 THEN FALSE
    ELSE STRLEN(LTRIM(REGEXP_REPLACE({{ v | ident }}, '[eE].*|[-.,]', '', 'g'), '0')) > 17
END
{%- elif type == 'BOOLEAN' -%}
{{ v | ident }} NOT IN ('true', 'false')
{%- elif format -%}
{{ v | ident }} IS NOT NULL
AND COALESCE({{ known(v, type, mark, format, x) }} < TIMESTAMP '1000-01-01', TRUE)
{%- elif type in ('DATE', 'TIMESTAMP') -%}
CAST({{ known(v, type, mark, format, x) }} AS VARCHAR) IS DISTINCT FROM {{ v | ident }}
{%- else -%}
FALSE
{%- endif %}
{%- endmacro %}

{# Whether a text is no value of a type that the policy gives, or would be rounded by it.
   in: v (a reference to the text), type, kind (of the type), mark, format,
       x (as of misfit)
   out: a condition, which may be NULL where it does not hold #}
{% macro uncast(v, type, kind, mark, format, x=none) -%}
{% if format and type in ('DATE', 'TIMESTAMP') -%}
{{ misfit(v, type, mark, format, x) }}
{%- elif type == 'VARCHAR' -%}
FALSE
{%- else -%}
{{ v | ident }} IS NOT NULL
AND (
    {{ known(v, type, mark, format, x) }} IS NULL
    {% if kind in ('integer', 'decimal') %}
    OR TRY_CAST({{ number(v, mark) }} AS DOUBLE)
    IS DISTINCT FROM CAST({{ known(v, type, mark, format, x) }} AS DOUBLE)
    {% elif kind == 'date' %}
    OR TRY_CAST({{ v | ident }} AS TIMESTAMP)
    IS DISTINCT FROM CAST({{ known(v, type, mark, format, x) }} AS TIMESTAMP)
    {% endif %}
    {% if mark and kind in ('integer', 'decimal', 'float') %}
    OR {{ no_number(v, mark) }}
    {% endif %}
)
{%- endif %}
{%- endmacro %}
