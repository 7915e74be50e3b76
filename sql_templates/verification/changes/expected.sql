{# What the source must be released as, by what a release tells of its changes: numbers held between
   the least and the greatest, and before that moved to the nearest multiple, by half of it away from
   0 and back by what is left over; drawn values as they were drawn.
   grain: one row per source row
   in: source (with the drawn columns), names (of the columns in order), recoded (columns by name:
       made, top, bottom, round, unit, half), drawn (columns by name: new)
   out: the columns #}
{% macro exact(r, n) %}CAST({{ n | number }} AS {{ r.made | sql_type }}){% endmacro %}
{% macro nearest(r) %}
{% if r.round is none %}
CAST(t.{{ r.name | ident }} AS {{ r.made | sql_type }})
{%- else %}
CASE WHEN t.{{ r.name | ident }} < 0 THEN 0 - {{ size(r) }} ELSE {{ size(r) }} END
{%- endif %}
{% endmacro %}
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
SELECT
{% for name in names %}
    {% if name in recoded %}
    {% set r = recoded[name] %}
    CAST(CASE WHEN t.{{ name | ident }} IS NOT NULL THEN
        {% if r.bottom is not none %}GREATEST({{ exact(r, r.bottom) }}, {% endif +%}
        {% if r.top is not none %}LEAST({{ exact(r, r.top) }}, {% endif +%}
        {{ nearest(r) }}
        {% if r.top is not none %}){% endif +%}
        {% if r.bottom is not none %}){% endif +%}
    END AS {{ r.made | sql_type }}) AS {{ name | ident }}
    {%- elif name in drawn %}
    t.{{ drawn[name].new | ident }} AS {{ name | ident }}
    {%- else %}
    t.{{ name | ident }}
    {%- endif %}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ source | ident }} AS t
