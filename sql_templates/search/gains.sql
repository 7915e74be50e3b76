{# What is left of an entry at each level, by labels and hierarchies alone.
   grain: one row per attribute, level and group of that level
   in: path_steps, gains [(attribute, most: what an entry as it is keeps)], keys
   out: table gains(attribute, level, keys, gain) #}
{% from 'search/macros.sql' import gain %}
CREATE TABLE gains AS
{% for a, most in gains %}
SELECT
    s.attribute,
    s.level,
    {{ keys | idents('s') }},
    {{ gain(a, most) }} AS gain
FROM path_steps AS s
WHERE s.attribute = # AND s.level <= {{ a.max_level | integer }}
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
