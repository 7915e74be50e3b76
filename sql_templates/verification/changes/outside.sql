{# How many released numbers cannot be what a change made of any, and how many are as great and as
   small as can be.
   grain: one row
   in: table, name, kind (of the column's type), top, bottom, round (numbers, or none)
   out: (values above the top, values below the bottom, values that are no multiple, values at the top,
       values at the bottom) #}
SELECT
    CAST(COALESCE(SUM(v.above), 0) AS BIGINT) AS above,
    CAST(COALESCE(SUM(v.below), 0) AS BIGINT) AS below,
    CAST(COALESCE(SUM(v.uneven), 0) AS BIGINT) AS uneven,
    CAST(COALESCE(SUM(v.at_top), 0) AS BIGINT) AS at_top,
    CAST(COALESCE(SUM(v.at_bottom), 0) AS BIGINT) AS at_bottom
FROM (
    SELECT
        {% if top is not none %}
        CASE WHEN t.{{ name | ident }} > {{ top | number }} THEN 1 END AS above,
        CASE WHEN t.{{ name | ident }} = {{ top | number }} THEN 1 END AS at_top,
        {% else %}
        0 AS above,
        0 AS at_top,
        {% endif %}
        {% if bottom is not none %}
        CASE WHEN t.{{ name | ident }} < {{ bottom | number }} THEN 1 END AS below,
        CASE WHEN t.{{ name | ident }} = {{ bottom | number }} THEN 1 END AS at_bottom,
        {% else %}
        0 AS below,
        0 AS at_bottom,
        {% endif %}
        {% if round is none %}
        0 AS uneven
        {% elif kind == 'float' %}
        CASE
            WHEN t.{{ name | ident }} <> CAST({{ round | number }} AS DOUBLE)
                * FLOOR(t.{{ name | ident }} / CAST({{ round | number }} AS DOUBLE) + 0.5)
            THEN 1
        END AS uneven
        {% else %}
        CASE WHEN MOD(ABS(t.{{ name | ident }}), {{ round | number }}) > 0 THEN 1 END AS uneven
        {% endif %}
    FROM {{ table | ident }} AS t
) AS v
