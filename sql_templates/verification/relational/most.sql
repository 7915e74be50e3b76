{# The most rows of a table that a person has.
   grain: one row
   in: number, verified_<number>
   out: (rows) #}
SELECT COALESCE(MAX(g.n), 0) AS most
FROM (
    SELECT COUNT(*) AS n FROM {{ ('verified_' ~ number) | ident }} AS v GROUP BY v.person
) AS g
