{# What proofs of statistics share.
   out: macros #}

{# A label as the name of a group: NULL is a group of its own.
   in: label (a reference)
   out: an expression #}
{% macro key(label) %}
CASE WHEN {{ label | ident }} IS NULL THEN '-' ELSE '+' || {{ label | ident }} END
{%- endmacro %}

{# Whether a share of a whole is less than a part. Whole numbers below 2^53 that are multiplied by no
   more than a thousand are added and compared exactly everywhere, decimals not on SQLite.
   in: whole, part (references), share (numerator and denominator)
   out: a condition #}
{% macro is_less(whole, part, share) %}
{% if share[1] <= 1000 %}
{{ whole | ident }} * {{ share[0] | integer }} < {{ part | ident }} * {{ share[1] | integer }}
{% else %}
CAST({{ whole | ident }} AS DECIMAL(38, 0)) * {{ share[0] | integer }}
    < CAST({{ part | ident }} AS DECIMAL(38, 0)) * {{ share[1] | integer }}
{%- endif %}
{%- endmacro %}

{# What the contributors but the two largest have, less than a share of the largest.
   in: total, first, second (references), share (numerator and denominator)
   out: a condition #}
{% macro leaves_less(total, first, second, share) %}
{% if share[1] <= 1000 %}
({{ total | ident }} - {{ first | ident }} - {{ second | ident }}) * {{ share[1] | integer }}
    < {{ first | ident }} * {{ share[0] | integer }}
{% else %}
CAST({{ total | ident }} - {{ first | ident }} - {{ second | ident }} AS DECIMAL(38, 0))
    * {{ share[1] | integer }} < CAST({{ first | ident }} AS DECIMAL(38, 0)) * {{ share[0] | integer }}
{%- endif %}
{%- endmacro %}

{# Whether a row of a published table is one of some.
   in: side (the relation it comes from), rows ({dimension: level and label})
   out: a condition, which may be NULL where labels are #}
{% macro among(side, rows) %}
({% for row in rows %}({% for d in row %}{{ [side, d ~ '_level'] | ident }} = {{ row[d][0] | integer }}
    AND {{ [side, d] | ident }} {% if row[d][1] is none %}IS NULL{% else %}= {{ row[d][1] | literal }}{% endif %}
    {%- if not loop.last %} AND {% endif %}{% endfor %}) OR {% endfor %}1 = 0)
{%- endmacro %}

{# A published value as one of so many digits after the point, rounded half up: the value itself,
   where it has no more.
   in: value (a reference), scale (the digits)
   out: an expression #}
{% macro to_digits(value, scale) %}
{% if scale %}
CAST(CAST(FLOOR({{ value | ident }} * {{ (10 ** scale) | integer }} + 0.5)
    AS DECIMAL(38, {{ scale | integer }})) / {{ (10 ** scale) | integer }} AS DECIMAL(38, {{ scale | integer }}))
{%- else %}
CAST({{ value | ident }} AS BIGINT)
{%- endif %}
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

{# The names of groups at all levels, each followed by a comma.
   in: side (the relation they come from), attributes, levels {index: the levels}
   out: references #}
{% macro keys(side, attributes, levels) %}
{% for a in attributes %}
{% for level in levels[a.index] %}
{{ [side, 'k' ~ a.index ~ '_' ~ level] | ident }},
{% endfor %}
{% endfor %}
{% endmacro %}

{# All rows with the same cells of some dimensions; all rows where there are none.
   in: others (dimensions; p has their labels k<position> and levels l<position>)
   out: what a window is over #}
{% macro beside(others) %}
{% if others %}
PARTITION BY {% for d in others %}{{ ['p', 'k' ~ loop.index] | ident }}, {{ ['p', 'l' ~ loop.index] | ident }}
{%- if not loop.last %}, {% endif %}{% endfor %}
{% endif %}
{%- endmacro %}
