{# How many released numbers cannot be what a change made of any, and how many are as great and as
   small as can be.
   grain: one row
   in: table, name, kind (of the column's type), top, bottom, round (numbers, or none)
   out: (values above the top, values below the bottom, values that are no multiple, values at the top,
       values at the bottom) #}
{% macro sum() %}
CAST(COALESCE(SUM(CASE WHEN {{ caller() }} THEN 1 ELSE 0 END), 0) AS BIGINT)
{%- endmacro %}
SELECT
    {% if top is not none %}{% call sum() %}t.{{ name | ident }} > {{ top | number }}{% endcall %}
    {%- else %}0{% endif %} AS above,
    {% if bottom is not none %}{% call sum() %}t.{{ name | ident }} < {{ bottom | number }}{% endcall %}
    {%- else %}0{% endif %} AS below,
    {% if round is none %}0
    {%- elif kind == 'float' %}{% call sum() %}t.{{ name | ident }}
        <> FLOOR(t.{{ name | ident }} / CAST({{ round | number }} AS DOUBLE) + 0.5)
            * CAST({{ round | number }} AS DOUBLE){% endcall %}
    {%- else %}{% call sum() %}MOD(ABS(t.{{ name | ident }}), {{ round | number }}) > 0{% endcall %}
    {%- endif %} AS uneven,
    {% if top is not none %}{% call sum() %}t.{{ name | ident }} = {{ top | number }}{% endcall %}
    {%- else %}0{% endif %} AS at_top,
    {% if bottom is not none %}{% call sum() %}t.{{ name | ident }} = {{ bottom | number }}{% endcall %}
    {%- else %}0{% endif %} AS at_bottom
FROM {{ table | ident }} AS t
