{# The groups that are released, as regions of the domain.
   grain: one row per group
   in: assigned, node_groups (of one node), levels {index: level}, attributes
   out: table regions(grp, n, l1 … ln: levels, g1 … gn: group codes at those levels) #}
CREATE TABLE regions AS
SELECT
    h.grp, r.n
{% for a in attributes %}
    , {{ levels[a.index] | integer }} AS l#
    , h.c# AS g#
{% endfor %}
FROM (
    SELECT p.grp, CAST(SUM(p.last - p.first + 1) AS BIGINT) AS n
    FROM assigned AS p
    GROUP BY p.grp
) AS r
JOIN node_groups AS h ON h.grp = r.grp
