{# The groups of a sensitive column's values in its hierarchy, below the top.
   grain: one row per value and level
   in: a (coded column with its attribute), values_<index>, dim_<index>
   out: a SELECT of (code, level, up: the group, share of all rows in it) #}
{% for level in range(a.attribute.height) %}
SELECT
    v.code,
    {{ level | integer }} AS level,
    COALESCE(d.g{{ level | integer }}, 0) AS up,
    SUM(v.share) OVER (PARTITION BY COALESCE(d.g{{ level | integer }}, 0)) AS share
FROM {{ ('values_' ~ a.index) | ident }} AS v
LEFT JOIN {{ ('dim_' ~ a.index) | ident }} AS d ON d.value = v.value
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
