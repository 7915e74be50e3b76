{# Of every group of a dimension the group of the next level that it is in, by their names.
   grain: one row per attribute, level and group
   in: dim_<index>, attributes
   out: table parents(attribute, level, k, up) #}
{% from 'verification/statistics/macros.sql' import key %}
CREATE TABLE parents AS
{% for a in attributes %}
{% set outer_last = loop.last %}
{% for level in range(a.height) %}
SELECT DISTINCT
    # AS attribute,
    {{ level | integer }} AS level,
    {{ key(['d', 'v' ~ level]) }} AS k,
    {% if level + 1 == a.height %}
    '*' AS up
    {% else %}
    {{ key(['d', 'v' ~ (level + 1)]) }} AS up
    {% endif %}
FROM dim_# AS d
{% if not (loop.last and outer_last) %}UNION ALL{% endif +%}
{% endfor %}
{% endfor %}
