{# What is left of an entry at each level, in whole numbers that follow from labels and hierarchies
   alone: of a hierarchy that is given leaf by leaf by the leaves of each group, of any other by the
   level.
   grain: one row per attribute, level and group of that level
   in: path_steps, gains (attribute, most: what an entry as it is keeps), keys
   out: table gains(attribute, level, keys, gain) #}
CREATE TABLE gains AS
{% for a, most in gains %}
SELECT
    s.attribute,
    s.level,
    {{ keys | idents('s') }},
    CAST(FLOOR({{ most | integer }} * (CAST(1 AS DOUBLE) -
    {% if a.leaves %}
        s.loss
    {% else %}
        CAST(s.level AS DOUBLE) / {{ a.height | integer }}
    {% endif %}
    )) AS BIGINT) AS gain
FROM path_steps AS s
WHERE s.attribute = # AND s.level <= {{ a.max_level | integer }}
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
