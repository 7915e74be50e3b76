{# The grammar of released labels and of the texts in them, in DuckDB's SQL. A number is read as a
   double, which is exact enough for comparisons that allow for the rounding of doubles; where it
   is too great for one, its digits stand for it.
   out: macros #}
{% set NUMBER = '[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?' %}
{% set DAY = '[0-9]{4}-[0-9]{2}-[0-9]{2}' %}
{% set TIME = '[0-9]{2}(?::[0-9]{2}(?::[0-9]{2}(?:\\.[0-9]{1,6})?)?)?' %}
{% set ZONE = '(?:Z|[+-][0-9]{2}(?::?[0-9]{2}(?::?[0-9]{2})?)?)?' %}
{% set ELEMENT = '("(?:[^"]|"")*"|[^",{} ](?:[^",{}]*[^",{} ])?)' %}

{# The number that a text writes, else NULL.
   in: text (a reference)
   out: an expression, DOUBLE #}
{% macro number_of(text) %}
CASE WHEN REGEXP_FULL_MATCH({{ text | ident }}, {{ NUMBER | literal }})
    THEN TRY_CAST({{ text | ident }} AS DOUBLE) END
{%- endmacro %}

{# The same to 18 digits after the point, where it is less than 10**20.
   in: text (a reference)
   out: an expression, DECIMAL(38, 18) #}
{% macro decimal_of(text) %}
CASE WHEN REGEXP_FULL_MATCH({{ text | ident }}, {{ NUMBER | literal }})
    THEN TRY_CAST({{ text | ident }} AS DECIMAL(38, 18)) END
{%- endmacro %}

{# The moment that a text writes, its time zone dropped, in microseconds from 1970 on, else NULL.
   in: text (a reference)
   out: an expression, BIGINT #}
{% macro moment_of(text) %}
{% set time = ('^.{11}(' ~ TIME ~ ')') %}
CASE WHEN LEFT({{ text | ident }}, 4) <> '0000' AND REGEXP_FULL_MATCH({{ text | ident }},
        {{ (DAY ~ '(?:[ T]' ~ TIME ~ '[0-9]*' ~ ZONE ~ ')?') | literal }})
    THEN EPOCH_US(TRY_CAST(LEFT({{ text | ident }}, 10) || ' ' || CASE
        WHEN LENGTH({{ text | ident }}) = 10 THEN '00:00'
        WHEN LENGTH(REGEXP_EXTRACT({{ text | ident }}, {{ time | literal }}, 1)) = 2
        THEN REGEXP_EXTRACT({{ text | ident }}, {{ time | literal }}, 1) || ':00'
        ELSE REGEXP_EXTRACT({{ text | ident }}, {{ time | literal }}, 1)
        END AS TIMESTAMP)) END
{%- endmacro %}

{# The digits of a number that is too great for a double, evened out; NULL of another, and where it
   has an exponent.
   in: number, text (references)
   out: an expression, VARCHAR #}
{% macro digits_of(number, text) %}
CASE WHEN ISINF({{ number | ident }}) AND REGEXP_FULL_MATCH({{ text | ident }}, '[+-]?[0-9.]+')
    THEN REGEXP_REPLACE(REGEXP_REPLACE(REGEXP_REPLACE({{ text | ident }},
        '^\+', ''), '^(-?)0+', '\1'), '\.0*$', '') END
{%- endmacro %}

{# A number as a column of single precision may have had it. Whole numbers of up to 16 digits stay.
   in: number (a reference)
   out: an expression, DOUBLE #}
{% macro single(number) %}
CASE WHEN {{ number | ident }} = FLOOR({{ number | ident }}) AND ABS({{ number | ident }}) < 1e16
    THEN {{ number | ident }}
    ELSE COALESCE(CAST(TRY_CAST({{ number | ident }} AS FLOAT) AS DOUBLE), {{ number | ident }}) END
{%- endmacro %}

{# Whether two numbers are the same: where they differ by no more than double or single precision
   rounds away. Infinite ones never are.
   in: one, other (references)
   out: a condition #}
{% macro same_number(one, other) %}
(NOT ISINF({{ one | ident }}) AND NOT ISINF({{ other | ident }})
    AND LEAST(ABS({{ one | ident }} - {{ other | ident }}),
        ABS({{ single(one) }} - {{ single(other) }}))
    <= GREATEST(ABS({{ one | ident }}), ABS({{ other | ident }}), 1e0) / 1e12)
{%- endmacro %}

{# A number as a text of whole units of 10**-scale, NULL where it is no whole number of them.
   in: text (a reference to a number without an exponent), scale (a reference)
   out: an expression, VARCHAR #}
{% macro units_of(text, scale) %}
CASE WHEN RTRIM(SUBSTRING(REGEXP_EXTRACT({{ text | ident }}, '\.([0-9]*)$', 1),
        {{ scale | ident }} + 1), '0') = ''
    THEN REGEXP_EXTRACT({{ text | ident }}, '^(-?[0-9]*)', 1)
        || RPAD(LEFT(REGEXP_EXTRACT({{ text | ident }}, '\.([0-9]*)$', 1), {{ scale | ident }}),
            {{ scale | ident }}, '0') END
{%- endmacro %}

{# Whether a number of units is less than another by a width, and that many widths from an origin:
   with whole numbers of up to 37 digits as they are, with longer ones digit by digit.
   in: low, high, width, origin (references to texts of whole numbers)
   out: a condition #}
{% macro is_interval(low, high, width, origin) %}
CASE WHEN GREATEST(LENGTH({{ low | ident }}), LENGTH({{ high | ident }}),
        LENGTH({{ origin | ident }})) <= 37
    THEN TRY_CAST({{ high | ident }} AS HUGEINT) - TRY_CAST({{ low | ident }} AS HUGEINT)
            = TRY_CAST({{ width | ident }} AS HUGEINT)
        AND (TRY_CAST({{ low | ident }} AS HUGEINT) - TRY_CAST({{ origin | ident }} AS HUGEINT))
            % TRY_CAST({{ width | ident }} AS HUGEINT) = 0
    ELSE TRY_CAST({{ high | ident }} AS BIGNUM) - TRY_CAST({{ low | ident }} AS BIGNUM)
            = TRY_CAST({{ width | ident }} AS BIGNUM)
        AND LIST_REDUCE(LIST_TRANSFORM(STRING_SPLIT(LTRIM(CAST(
                TRY_CAST({{ low | ident }} AS BIGNUM) - TRY_CAST({{ origin | ident }} AS BIGNUM)
                AS VARCHAR), '-'), ''), LAMBDA d: TRY_CAST(d AS HUGEINT)),
            LAMBDA r, d: (r * 10 + d) % TRY_CAST({{ width | ident }} AS HUGEINT),
            CAST(0 AS HUGEINT)) = 0
    END
{%- endmacro %}

{# The elements of a set as they are written.
   in: text (a reference to a label)
   out: an expression, VARCHAR[]; NULL where the label is no set #}
{% macro elements_of(text) %}
CASE WHEN REGEXP_FULL_MATCH({{ text | ident }},
        {{ ('\\{(?:' ~ ELEMENT ~ ', )*' ~ ELEMENT ~ '\\}') | literal }})
    THEN CASE WHEN CONTAINS({{ text | ident }}, '"')
        THEN REGEXP_EXTRACT_ALL(SUBSTRING({{ text | ident }}, 2, LENGTH({{ text | ident }}) - 2),
            {{ (ELEMENT ~ '(?:, |$)') | literal }}, 1)
        ELSE STRING_SPLIT(SUBSTRING({{ text | ident }}, 2, LENGTH({{ text | ident }}) - 2), ', ')
        END END
{%- endmacro %}

{# What a written element of a set says; NULL is NULL.
   in: text (a reference to an element as it is written)
   out: an expression #}
{% macro element_of(text) %}
CASE WHEN {{ text | ident }} LIKE '"%'
    THEN REPLACE(SUBSTRING({{ text | ident }}, 2, LENGTH({{ text | ident }}) - 2), '""', '"')
    ELSE NULLIF({{ text | ident }}, 'NULL') END
{%- endmacro %}

{# The first day of the calendar unit that a label names, or with which the next unit begins; NULL
   where it names none. The decade 0000s begins with the year 1.
   in: unit, text (references), next (whether the next unit's)
   out: an expression, DATE #}
{% macro unit_begins(unit, text, next) %}
{% set step = 1 if next else 0 %}
CASE
    WHEN LEFT({{ text | ident }}, 4) IN ('0000') AND {{ unit | ident }} <> 'decade' THEN NULL
    WHEN {{ unit | ident }} = 'day' AND REGEXP_FULL_MATCH({{ text | ident }}, {{ DAY | literal }})
    THEN TRY_CAST({{ text | ident }} AS DATE) + {{ step | integer }}
    WHEN {{ unit | ident }} = 'week' AND REGEXP_FULL_MATCH({{ text | ident }}, '[0-9]{4}-W[0-9]{2}')
        AND RIGHT({{ text | ident }}, 2) BETWEEN '01' AND '53'
        AND (RIGHT({{ text | ident }}, 2) < '53' OR WEEKOFYEAR(
            MAKE_DATE(TRY_CAST(LEFT({{ text | ident }}, 4) AS INTEGER), 12, 28)) = 53)
    THEN CAST(DATE_TRUNC('week', MAKE_DATE(TRY_CAST(LEFT({{ text | ident }}, 4) AS INTEGER), 1, 4))
        AS DATE) + 7 * (TRY_CAST(RIGHT({{ text | ident }}, 2) AS INTEGER) - 1
        + {{ step | integer }})
    WHEN {{ unit | ident }} = 'month'
        AND REGEXP_FULL_MATCH({{ text | ident }}, '[0-9]{4}-(0[1-9]|1[0-2])')
    THEN CAST(TRY_CAST({{ text | ident }} || '-01' AS DATE)
        + INTERVAL 1 MONTH * {{ step | integer }} AS DATE)
    WHEN {{ unit | ident }} = 'quarter'
        AND REGEXP_FULL_MATCH({{ text | ident }}, '[0-9]{4}-Q[1-4]')
    THEN CAST(MAKE_DATE(TRY_CAST(LEFT({{ text | ident }}, 4) AS INTEGER),
        3 * TRY_CAST(RIGHT({{ text | ident }}, 1) AS INTEGER) - 2, 1)
        + INTERVAL 3 MONTH * {{ step | integer }} AS DATE)
    WHEN {{ unit | ident }} = 'year' AND REGEXP_FULL_MATCH({{ text | ident }}, '[0-9]{4}')
    THEN MAKE_DATE(TRY_CAST({{ text | ident }} AS INTEGER) + {{ step | integer }}, 1, 1)
    WHEN {{ unit | ident }} = 'decade' AND REGEXP_FULL_MATCH({{ text | ident }}, '[0-9]{3}0s')
    THEN MAKE_DATE(GREATEST(TRY_CAST(LEFT({{ text | ident }}, 4) AS INTEGER)
        + 10 * {{ step | integer }}, 1), 1, 1)
END
{%- endmacro %}
