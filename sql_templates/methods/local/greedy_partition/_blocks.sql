-- name: close
{# The cells of parts that are cut no further.
   in: table (open cells), seeds_0
   out: rows of ended #}
INSERT INTO ended
SELECT o.part, o.id
FROM {{ table | ident }} AS o
LEFT JOIN seeds_0 AS s ON s.part = o.part
WHERE s.part IS NULL

-- name: greatest
{# grain: one row
   in: members_0
   out: the greatest number of a part #}
SELECT CAST(COALESCE(MAX(m.part), 0) AS BIGINT) AS part
FROM members_0 AS m

-- name: no_ends
{# in: spots
   out: table ended(part, id) without rows #}
CREATE TABLE ended AS
SELECT s.part, s.id
FROM spots AS s
WHERE FALSE

-- name: settled
{# The cells in their final parts.
   grain: one row per cell
   in: ended, spots, attributes
   out: table settled(part, p1 … pn) #}
CREATE TABLE settled AS
SELECT e.part{{ attributes | each(', s.p#') }}
FROM ended AS e
JOIN spots AS s ON s.id = e.id

-- name: stretches
{# How far the cells between two cuts to try reach.
   grain: one row per part and stretch
   in: lines, attributes
   out: table stretches(part, stretch, n, lo<i>, hi<i>) #}
CREATE TABLE stretches AS
SELECT
    l.part, l.stretch,
    CAST(SUM(l.n) AS BIGINT) AS n
    {{ attributes | each(', MIN(l.y#) AS lo#, MAX(l.y#) AS hi#') }}
FROM lines AS l
GROUP BY l.part, l.stretch
