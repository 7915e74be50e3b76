{# Numbers as a release tells that they were changed; t is the source, with the drawn columns. None of
   them is a writer's.
   out: macros #}

{# A number that is told, in the type of the released values.
   in: r (recoded column: made), n (the number)
   out: an expression #}
{% macro exact(r, n) %}CAST({{ n | number }} AS {{ r.made | sql_type }}){% endmacro %}

{# The multiple that is nearest to a number, halves away from 0.
   in: r (recoded column: name, made, round, unit, half)
   out: an expression #}
{% macro nearest(r) %}
{% if r.round is none %}
CAST(t.{{ r.name | ident }} AS {{ r.made | sql_type }})
{%- else %}
CASE WHEN t.{{ r.name | ident }} < 0 THEN 0 - {{ size(r) }} ELSE {{ size(r) }} END
{%- endif %}
{% endmacro %}

{# How far from 0 that multiple is: half a step is added, and what is above a multiple then is taken
   away.
   in: r (recoded column: name, made, round, unit, half)
   out: an expression #}
{% macro size(r) %}
{% if r.unit is none %}
FLOOR(ABS(t.{{ r.name | ident }}) / {{ exact(r, r.round) }} + 0.5) * {{ exact(r, r.round) }}
{%- else %}
CAST(
    ABS(CAST(t.{{ r.name | ident }} AS {{ r.made | sql_type }})) + {{ exact(r, r.half) }}
    - MOD(
        ABS(CAST(t.{{ r.name | ident }} AS {{ r.made | sql_type }})) + {{ exact(r, r.half) }},
        {{ exact(r, r.round) }}
    ) AS {{ r.made | sql_type }}
)
{%- endif %}
{% endmacro %}
