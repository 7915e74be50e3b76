{# Groups that have other rows than were counted for them.
   grain: one row
   in: placed, assigned, groups, attributes, valued
   out: how many groups #}
SELECT COUNT(*) AS wrong
FROM groups AS g
LEFT JOIN (
    SELECT p.grp, COUNT(*) AS n
    FROM placed AS o
    JOIN assigned AS p
        ON {{ attributes | each('p.c# = o.c#', ' AND ') }}
        {{ valued | each('AND p.x# = o.x#') }}
        AND p.first <= o.place AND p.last >= o.place
    GROUP BY p.grp
) AS f ON f.grp = g.grp
WHERE g.n <> COALESCE(f.n, 0)
