{# in: cells, attributes
   out: table regions(grp, n, l1 … ln, g1 … gn) without rows #}
CREATE TABLE regions AS
SELECT t.n AS grp, t.n{{ attributes | each(', t.c# AS l#') }}{{ attributes | each(', t.c# AS g#') }}
FROM cells AS t
WHERE FALSE
