{# The cells by which regions are released: their own, wherever rows of them went.
   grain: one row per cell of a region with rows
   in: spots, kept(part, n), attributes
   out: table settled(part, p1 … pn) #}
CREATE TABLE settled AS
SELECT s.part{{ attributes | each(', s.p#') }}
FROM spots AS s
JOIN kept AS r ON r.part = s.part
