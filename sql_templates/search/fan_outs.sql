{# How far hierarchies branch.
   grain: one row per attribute and level
   in: dim_<index>, attributes
   out: (attribute, level, the greatest number of groups of that level that one group of the level
       above has, the number of groups of that level) #}
SELECT w.attribute, w.level, MAX(w.fan_out) AS fan_out, CAST(SUM(w.fan_out) AS BIGINT) AS groups
FROM (
{% for a in attributes %}
{% set outer_last = loop.last %}
{% for level in range(a.min_level, a.max_level + 1) %}
    SELECT # AS attribute, {{ level | integer }} AS level,
        COUNT(DISTINCT d.g{{ level | integer }}) AS fan_out
    FROM dim_# AS d
    {% if not loop.last %}
    GROUP BY d.g{{ (level + 1) | integer }}
    {% endif %}
    {% if not (loop.last and outer_last) %}UNION ALL{% endif +%}
{% endfor %}
{% endfor %}
) AS w
GROUP BY w.attribute, w.level
