{# The branches of a sensitive column's hierarchy that each of its values lies in, the root aside.
   grain: one row per value and level
   in: a (coded column with its attribute), reference_<index>, dim_<index>
   out: a SELECT of (code, level, branch, share of all rows in the branch) #}
SELECT b.code, b.level, b.branch, SUM(b.share) OVER (PARTITION BY b.level, b.branch) AS share
FROM (
{% for level in range(a.attribute.height) %}
    SELECT
        r.code,
        {{ level | sql('# AS level, CASE WHEN r.value IS NULL THEN 0 ELSE d.g# END AS branch,') }}
        r.share
    FROM reference_# AS r
    LEFT JOIN dim_# AS d ON d.value = r.value
    {% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
) AS b
