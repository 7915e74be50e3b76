{# Values of the source that the dimension tables, which came from the workbench, do not have: they
   would count as NULL.
   grain: one row per attribute that has some
   in: domains, dim_<index>, attributes
   out: (attribute, values) #}
{% for a in attributes %}
SELECT # AS attribute, COUNT(*) AS missing
FROM domains AS t
LEFT JOIN dim_# AS d# ON d#.value = t.q#
WHERE t.q# IS NOT NULL AND d#.code IS NULL
HAVING COUNT(*) > 0
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
