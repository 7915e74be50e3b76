{# What released rows lose by attribute.
   grain: one row per attribute
   in: groups, dim_<index>, attributes
   out: (attribute, sum over released rows of (leaves under the released value - 1) / (leaves of the
       domain - 1), the same of the leaves that the data has) #}
{% from 'methods/groups/macros.sql' import present %}
{% for a in attributes %}
SELECT
    # AS attribute,
    CAST(COALESCE(MAX(x.lost) / NULLIF(COUNT(*) - 1, 0), 0) AS DOUBLE) AS loss,
    CAST(COALESCE(MAX(x.lost_present)
        / NULLIF(COUNT(CASE WHEN {{ present(a) }} THEN 1 END) - 1, 0),
        0) AS DOUBLE) AS present_loss
FROM dim_# AS d
CROSS JOIN (
    SELECT
        CAST(SUM(g.n * (g.leaves# - 1)) AS DOUBLE) AS lost,
        CAST(SUM(g.n * (g.present# - 1)) AS DOUBLE) AS lost_present
    FROM groups AS g
) AS x
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
