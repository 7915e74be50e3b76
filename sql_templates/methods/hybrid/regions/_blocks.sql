-- name: final_parts
{# The regions that have rows after the relocation.
   grain: one row per region
   in: boxes, kept(part, n), attributes
   out: table final_parts(part, n: rows, lo<i>, hi<i>: the first and last place of its own cells) #}
CREATE TABLE final_parts AS
SELECT b.part, r.n{{ attributes | each(', b.lo#, b.hi#') }}
FROM boxes AS b
JOIN kept AS r ON r.part = b.part

-- name: offers
{# grain: one row per region that can be cut
   in: cuts
   out: (part, rows of the lower and of the upper side, rows to be relocated, ratio) in the order of
       the parts #}
SELECT c.part, c.below, c.above, c.needed, c.ratio
FROM cuts AS c
ORDER BY c.part

-- name: settled
{# The cells by which regions are released: their own, wherever rows of them went.
   grain: one row per cell of a region with rows
   in: spots, kept(part, n), attributes
   out: table settled(part, p1 … pn) #}
CREATE TABLE settled AS
SELECT s.part{{ attributes | each(', s.p#') }}
FROM spots AS s
JOIN kept AS r ON r.part = s.part

-- name: sizes
{# grain: one row per region
   in: table (of cells: part, n)
   out: (part, rows) in the order of the parts #}
SELECT m.part, CAST(SUM(m.n) AS BIGINT) AS n
FROM {{ table | ident }} AS m
GROUP BY m.part
ORDER BY m.part
