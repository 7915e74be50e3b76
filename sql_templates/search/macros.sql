{# What is left of an entry at a level, in whole numbers: of a hierarchy that is given leaf by leaf by
   the leaves of its group, of any other by the level.
   in: a (attribute), most (what an entry as it is keeps); s has level and loss
   out: macros #}
{% macro gain(a, most) %}
CAST(FLOOR({{ most | integer }} * (CAST(1 AS DOUBLE) -
    {% if a.leaves %}
    s.loss
    {% else %}
    CAST(s.level AS DOUBLE) / {{ a.height | integer }}
    {% endif %}
)) AS BIGINT)
{%- endmacro %}
