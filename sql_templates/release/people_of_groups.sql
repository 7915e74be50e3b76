{# The classes of a release by groups in people: groups that are released alike are one class.
   grain: one row
   in: cells, assigned, groups, attributes, valued (coded columns whose values divide cells too),
       keys (the columns of groups that are released), people (index of the coded column that tells
       people apart), at_risk (the greatest number of people in a class that counts as at risk)
   out: (people, counted in every class that has them; classes; people of the smallest; people at
       risk) #}
SELECT
    CAST(COALESCE(SUM(g.people), 0) AS BIGINT) AS people,
    COUNT(*) AS classes,
    COALESCE(MIN(g.people), 0) AS least,
    CAST(COALESCE(SUM(g.people) FILTER (WHERE g.people <= {{ at_risk | integer }}),
        0) AS BIGINT) AS at_risk
FROM (
    SELECT COUNT(DISTINCT t.x{{ people | integer }}) AS people
    FROM cells AS t
    JOIN assigned AS p
        ON {{ attributes | each('p.c# = t.c#', ' AND ') }}
        {{ valued | each('AND p.x# = t.x#') }}
    JOIN groups AS x ON x.grp = p.grp
    GROUP BY {{ keys | idents('x') }}
) AS g
