{# The rings of a release in people. Any released row of a ring is one person's with a probability of at
   most the rows of the person who has most in the ring, out of the rows of a window.
   grain: one row
   in: assigned, windows, rings, people (index of the coded column that tells people apart), at_risk
       (the greatest number of people that a row may be which counts as at risk)
   out: (people, counted in every ring that has them; rings; the least number of people that a row
       may be; people of rings where it is at most at_risk) #}
SELECT
    CAST(COALESCE(SUM(h.people), 0) AS BIGINT) AS people,
    COUNT(*) AS rings,
    COALESCE(MIN(h.hidden), 0) AS least,
    CAST(COALESCE(SUM(h.people) FILTER (WHERE h.hidden <= {{ at_risk | integer }}), 0) AS BIGINT)
        AS at_risk
FROM (
    SELECT
        g.part,
        COUNT(*) AS people,
        CAST(FLOOR(CAST(MAX(g.length) AS DOUBLE) / MAX(g.n)) AS BIGINT) AS hidden
    FROM (
        SELECT w.part, r.length, SUM(p.last - p.first + 1) AS n
        FROM assigned AS p
        JOIN windows AS w ON w.grp = p.grp
        JOIN rings AS r ON r.part = w.part
        GROUP BY w.part, r.length, p.x{{ people | integer }}
    ) AS g
    GROUP BY g.part
) AS h
