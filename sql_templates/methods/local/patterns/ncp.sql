{# The normalized certainty penalty of the groups, over the cells that are not withheld: width /
   width of the domain, or leaves under the released node / leaves of the hierarchy; nothing for a
   single value, 1 where an interval would hold NULL, and for hidden cells.
   grain: one row per attribute
   in: final_parts, groups, places, nodes, attributes, forms, semi, hidden (whether there are hidden
       cells)
   out: (attribute, sum over rows of the penalty) #}
{% for a in attributes %}
SELECT
    # AS attribute,
    CAST(COALESCE(SUM(p.n * CASE
        {% if hidden and a in semi %}
        WHEN z.h# = 1 THEN 1
        {% endif %}
        WHEN p.hi# = p.lo# THEN 0
    {% if forms[a.index] == 'range' %}
        WHEN b.x IS NULL OR e.x IS NULL THEN 1
        ELSE (e.x - b.x) / w.width
    {% else %}
        ELSE CAST(x.leaves# AS DOUBLE) / w.width
    {% endif %}
    END), 0) AS DOUBLE) AS ncp
FROM final_parts AS p
{% if hidden and a in semi %}
LEFT JOIN hidden AS z ON z.grp = p.part
{% endif %}
{% if forms[a.index] == 'range' %}
JOIN places AS b ON b.attribute = # AND b.place = p.lo#
JOIN places AS e ON e.attribute = # AND e.place = p.hi#
CROSS JOIN (
    SELECT CAST(MAX(t.x) - MIN(t.x) AS DOUBLE) AS width FROM places AS t WHERE t.attribute = #
) AS w
{% else %}
JOIN groups AS x ON x.grp = p.part
CROSS JOIN (SELECT MAX(t.domain) AS width FROM nodes AS t WHERE t.attribute = #) AS w
{% endif %}
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
