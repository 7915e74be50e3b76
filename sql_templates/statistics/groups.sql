{# The groups of the dimensions: what they are part of, and their labels.
   grain: one row per attribute, level and group
   in: dim_<index>, attributes, levels {index: the levels that have groups}
   out: table groups(attribute, level, code, up: the group at the next level, -1 at the top;
       label) #}
CREATE TABLE groups AS
{% for a in attributes %}
{% set outer_last = loop.last %}
{% for level in levels[a.index] %}
SELECT
    # AS attribute,
    {{ level | integer }} AS level,
    d.g{{ level | integer }} AS code,
    {% if loop.last %}
    -1 AS up,
    {% else %}
    MIN(d.g{{ (level + 1) | integer }}) AS up,
    {% endif %}
    MIN(d.v{{ level | integer }}) AS label
FROM dim_# AS d
GROUP BY d.g{{ level | integer }}
{% if not (loop.last and outer_last) %}UNION ALL{% endif +%}
{% endfor %}
{% endfor %}
