{# in: parts_0, attributes
   out: table regions(grp, n, l1 … ln, g1 … gn) without rows #}
CREATE TABLE regions AS
SELECT p.part AS grp, p.n{{ attributes | each(', p.l#') }}{{ attributes | each(', p.g#') }}
FROM parts_0 AS p
WHERE FALSE
