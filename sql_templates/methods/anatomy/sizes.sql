{# grain: one row
   in: separated, group (the position of the group's number)
   out: (rows, groups, rows of the smallest, sum of squared rows, the greatest share of a sensitive
       value in a group) #}
SELECT
    CAST(SUM(g.n) AS BIGINT) AS total,
    COUNT(*) AS groups,
    MIN(g.n) AS least,
    CAST(SUM(g.n * g.n) AS BIGINT) AS squares,
    MAX(CAST(g.most AS DOUBLE) / g.n) AS share
FROM (
    SELECT v.grp, CAST(SUM(v.n) AS BIGINT) AS n, MAX(v.n) AS most
    FROM (SELECT t.r{{ group | integer }} AS grp, t.s, COUNT(*) AS n FROM separated AS t
        GROUP BY t.r{{ group | integer }}, t.s) AS v
    GROUP BY v.grp
) AS g
