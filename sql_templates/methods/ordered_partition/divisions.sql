{# What each cut that may be taken would divide its interval into.
   grain: one row per node, attribute, cut and reachable code of its interval
   in: parts (table of intervals), marks
   out: table refinements(node, attribute, candidate: the position, code, part: the side, gain) #}
CREATE TABLE refinements AS
SELECT
    d.node, d.attribute, d.candidate, d.code,
    d.side AS part,
    d.lost - COALESCE(MAX(d.most) OVER (PARTITION BY d.node, d.attribute, d.candidate, d.side)
        - MIN(d.least) OVER (PARTITION BY d.node, d.attribute, d.candidate, d.side), 0) AS gain
FROM (
    SELECT
        s.node, s.attribute,
        k.position AS candidate,
        s.code, s.lost, s.least, s.most,
        CASE WHEN s.position < k.position THEN s.part ELSE k.position END AS side
    FROM (
        SELECT p.node, p.attribute, p.reach AS code, p.part, p.last, p.lost,
            MIN(p.position) AS position, MIN(p.at) AS least, MAX(p.at) AS most
        FROM {{ parts | ident }} AS p
        GROUP BY p.node, p.attribute, p.reach, p.part, p.last, p.lost
    ) AS s
    JOIN marks AS k
        ON k.node = s.node AND k.attribute = s.attribute AND k.taken = 0 AND k.position > s.part
            AND k.position <= s.last
    {# from the part of NULL and all others, NULL is parted first #}
    WHERE s.part > 0 OR k.position = 1

) AS d
