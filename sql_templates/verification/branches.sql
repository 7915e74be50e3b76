{# The branches of a sensitive column's hierarchy that each of its values lies in, the root aside.
   grain: one row per value and level
   in: a (coded column with its attribute), reference_<index>, dim_<index>
   out: a SELECT of (code, level, branch, share of all rows in the branch) #}
SELECT b.code, b.level, b.branch, SUM(b.share) OVER (PARTITION BY b.level, b.branch) AS share
FROM (
{% for level in range(a.attribute.height) %}
    SELECT r.code, {{ level | integer }} AS level, CASE WHEN r.value IS NULL THEN 0 ELSE d.g{{ level
        | integer }} END AS branch, r.share
    FROM {{ ('reference_' ~ a.index) | ident }} AS r
    LEFT JOIN {{ ('dim_' ~ a.index) | ident }} AS d ON d.value = r.value
    {% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
) AS b
