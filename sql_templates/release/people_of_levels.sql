{# The classes of a full-domain generalization in people.
   grain: one row
   in: frequencies (c1 …, x<people>, n), classes (c1 …, n, ok), attributes, people (index of the
       coded column that tells people apart), at_risk (the greatest number of people in a class that
       counts as at risk)
   out: (people, counted in every class that has them; classes; people of the smallest; people at
       risk) #}
SELECT
    CAST(COALESCE(SUM(g.people), 0) AS BIGINT) AS people,
    COUNT(*) AS classes,
    COALESCE(MIN(g.people), 0) AS least,
    CAST(COALESCE(SUM(g.people) FILTER (WHERE g.people <= {{ at_risk | integer }}),
        0) AS BIGINT) AS at_risk
FROM (
    SELECT COUNT(DISTINCT f.x{{ people | integer }}) AS people
    FROM {{ frequencies | ident }} AS f
    JOIN {{ classes | ident }} AS c
        ON c.ok {{ attributes | each('AND c.c# = f.c#') }}
    WHERE f.n > 0
    GROUP BY {{ attributes | listed('f.c#') }}
) AS g
