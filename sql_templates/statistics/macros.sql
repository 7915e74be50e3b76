{# An amount times a factor in millionths, rounded half up: in whole numbers, as quotients differ
   from engine to engine. Only multiples are divided, and no product exceeds 64 bits: an amount is
   taken as millions and the rest.
   in: amount (a reference: a BIGINT from 0 to 10^18), factor (a reference: a BIGINT from -10^6 to
       10^6)
   out: an expression: a BIGINT #}
{% macro times(amount, factor) %}
(
    CAST(FLOOR(
        ({{ amount | ident }} - {{ amount | ident }} % 1000000) / 1000000 + 0.5
    ) AS BIGINT) * {{ factor | ident }}
    + CAST((
        {{ amount | ident }} % 1000000 * {{ factor | ident }} + 1000000500000
        - ({{ amount | ident }} % 1000000 * {{ factor | ident }} + 1000000500000) % 1000000
    ) / 1000000 AS BIGINT) - 1000000
)
{%- endmacro %}

{# A value as one of the two multiples of a base beside it, by a key: the upper one with a chance of
   what the value exceeds the lower one by. A multiple stays.
   in: amount (a reference: a BIGINT), base (a number below 2^31), key (a reference: a number in
       [0, 2^32))
   out: an expression: a BIGINT #}
{% macro rounded(amount, base, key) %}
(
    {{ amount | ident }} - {{ rest(amount, base) }}
    + CASE
        WHEN {{ key | ident }} * {{ base | integer }} < {{ rest(amount, base) }} * 4294967296
        THEN {{ base | integer }}
        ELSE 0
    END
)
{%- endmacro %}

{# What an amount exceeds the next lower multiple of a base by; remainders have the sign of the
   amount.
   in: amount (a reference: a BIGINT), base (a number)
   out: an expression: a BIGINT #}
{% macro rest(amount, base) %}
(({{ amount | ident }} % {{ base | integer }} + {{ base | integer }}) % {{ base | integer }})
{%- endmacro %}

{# A number as whole units of its last digit that counts, clipped where it is; NULL adds nothing.
   in: m (a sum: its column, scale, low and high: what it is clipped to, or none), side (the relation
       it comes from)
   out: an expression #}
{% macro amount(m, side) %}
{% if m.low is not none %}
CASE WHEN {{ [side, m.column.name] | ident }} IS NULL THEN 0 ELSE LEAST(GREATEST(
    {{ units(m, side) }}
, {{ m.low | integer }}), {{ m.high | integer }}) END
{%- else %}
{{ units(m, side) }}
{%- endif %}
{%- endmacro %}

{# The same, not clipped.
   in: m (a sum: its column, scale), side (the relation it comes from)
   out: an expression #}
{% macro units(m, side) %}
{% if m.integral and m.scale == 0 %}
CAST(COALESCE({{ [side, m.column.name] | ident }}, 0) AS BIGINT)
{%- else %}
CAST(FLOOR(COALESCE({{ [side, m.column.name] | ident }}, 0) * {{ m.unit | integer }} + 0.5) AS BIGINT)
{%- endif %}
{%- endmacro %}

{# A number in units without its sign, roughly: floating-point, so that nothing overflows.
   in: m (a sum), side (the relation it comes from)
   out: an expression #}
{% macro magnitude(m, side) %}
ABS(CAST({{ [side, m.column.name] | ident }} AS DOUBLE)) * {{ m.unit | integer }}
{%- endmacro %}

{# The columns of a measure: its value, where that is shown, and its status.
   in: m (name, scale, unit, type), number (a reference: its value in units), hidden (a reference: 0
       where it is shown), status (of those that are shown)
   out: two columns, each followed by a comma #}
{% macro value(m, number, hidden, status) %}
CASE WHEN {{ hidden | ident }} = 0 THEN
    {% if m.scale %}
        CAST(CAST({{ number | ident }} AS DECIMAL(38, {{ m.scale | integer }}))
            / {{ m.unit | integer }} AS {{ m.type | sql_type }})
    {% else %}
        {{ number | ident }}
    {% endif %}
    END AS {{ m.name | ident }},
    CASE WHEN {{ hidden | ident }} = 0 THEN {{ status | literal }} ELSE 'hidden' END
        AS {{ (m.name ~ '_status') | ident }},
{%- endmacro %}
