{# What labels stand for: their ranges of atoms in order, joined where they touch; NULL is the atom
   behind all others. Labels that stand for the same have one token.
   grain: one row per label
   in: sizes (a list of columns' position and leaves: how many their hierarchies have),
       completed_found
   out: table completed_spans(position, value, token: from 1 in the order of the ranges,
       ranges: a list of pairs, points: how many atoms there are but NULL) #}
CREATE OR REPLACE TABLE completed_spans AS
WITH
sizes AS (
    SELECT s.position, s.leaves + COUNT(f.word) AS points
    FROM (VALUES {{ sizes | rows }}) AS s (position, leaves)
    LEFT JOIN completed_found AS f ON f.position = s.position
    GROUP BY s.position, s.leaves
),
parts AS (
    SELECT f.position, f.value, COUNT(*) AS n, COUNT(f.first) AS known
    FROM completed_found AS f
    WHERE f.value > 0
    GROUP BY f.position, f.value
),
starts AS (
    SELECT
        f.position, f.value, f.first, f.past,
        CASE WHEN f.first <= MAX(f.past) OVER (
            PARTITION BY f.position, f.value ORDER BY f.first, f.past
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) THEN 0 ELSE 1 END AS new
    FROM completed_found AS f
    JOIN parts AS p ON p.position = f.position AND p.value = f.value AND p.n > 1
    WHERE f.first IS NOT NULL
),
numbered AS (
    SELECT
        s.*,
        SUM(s.new) OVER (
            PARTITION BY s.position, s.value ORDER BY s.first, s.past
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS part
    FROM starts AS s
),
joined AS (
    SELECT f.position, f.value, f.first, f.past
    FROM completed_found AS f
    JOIN parts AS p ON p.position = f.position AND p.value = f.value AND p.n = 1
    WHERE f.first IS NOT NULL
    UNION ALL
    SELECT n.position, n.value, MIN(n.first) AS first, MAX(n.past) AS past
    FROM numbered AS n
    GROUP BY n.position, n.value, n.part
    UNION ALL
    SELECT p.position, p.value, s.points, s.points + 1
    FROM parts AS p
    JOIN sizes AS s ON s.position = p.position
    WHERE p.known = 0
),
listed AS (
    SELECT j.position, j.value, LIST([j.first, j.past] ORDER BY j.first) AS ranges
    FROM joined AS j
    GROUP BY j.position, j.value
)
SELECT
    l.position, l.value, s.points, l.ranges,
    DENSE_RANK() OVER (PARTITION BY l.position ORDER BY l.ranges) AS token
FROM listed AS l
JOIN sizes AS s ON s.position = l.position
