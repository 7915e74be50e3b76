{# grain: one row per attribute and level
   in: base, attributes
   out: (attribute, level, distinct values that the data has there) #}
{% for a in attributes %}
{% set outer_last = loop.last %}
{% for level in range(a.min_level, a.max_level + 1) %}
SELECT # AS attribute, {{ level | integer }} AS level,
    COUNT(DISTINCT b.a#_{{ level | integer }}) AS distinct_values
FROM base AS b
{% if not (loop.last and outer_last) %}UNION ALL{% endif +%}
{% endfor %}
{% endfor %}
