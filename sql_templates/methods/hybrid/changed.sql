{# How many rows have another value after they were moved.
   grain: one row per attribute
   in: assigned, node_groups (of one node), attributes
   out: (attribute, rows) #}
{% for a in attributes %}
SELECT
    # AS attribute,
    CAST(COALESCE(SUM(CASE WHEN h.c# <> t.c# THEN p.last - p.first + 1 END), 0) AS BIGINT)
        AS changed
FROM assigned AS p
JOIN node_groups AS h ON h.grp = p.home
JOIN node_groups AS t ON t.grp = p.grp
WHERE p.grp <> p.home
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
