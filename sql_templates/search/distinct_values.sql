{# grain: one row per attribute and level
   in: cells, dim_<index>, attributes
   out: (attribute, level, distinct values that the data has there) #}
{% for a in attributes %}
{% set outer_last = loop.last %}
{% for level in range(a.min_level, a.max_level + 1) %}
SELECT # AS attribute, {{ level | integer }} AS level,
    COUNT(DISTINCT d.g{{ level | integer }}) AS distinct_values
FROM cells AS t
JOIN dim_# AS d ON d.code = t.c#
{% if not (loop.last and outer_last) %}UNION ALL{% endif +%}
{% endfor %}
{% endfor %}
