{# What the source must be released as, by what a release tells of its changes: numbers held between
   the least and the greatest, and before that moved to the nearest multiple, by half of it away from
   0 and back by what is left over; drawn values as they were drawn.
   grain: one row per source row
   in: source (with the drawn columns), names (of the columns in order), recoded (columns by name:
       made, top, bottom, round, unit, half), drawn (columns by name: new)
   out: the columns #}
{% from 'verification/changes/macros.sql' import exact, nearest %}
SELECT
{% for name in names %}
    {% if name in recoded %}
    CAST(CASE WHEN t.{{ name | ident }} IS NOT NULL THEN
        {% if recoded[name].bottom is not none %}
        GREATEST({{ exact(recoded[name], recoded[name].bottom) }},
        {% endif %}
        {% if recoded[name].top is not none %}
        LEAST({{ exact(recoded[name], recoded[name].top) }},
        {% endif %}
        {{ nearest(recoded[name]) }}
        {% if recoded[name].top is not none %}){% endif +%}
        {% if recoded[name].bottom is not none %}){% endif +%}
    END AS {{ recoded[name].made | sql_type }}) AS {{ name | ident }}
    {%- elif name in drawn %}
    t.{{ drawn[name].new | ident }} AS {{ name | ident }}
    {%- else %}
    t.{{ name | ident }}
    {%- endif %}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ source | ident }} AS t
