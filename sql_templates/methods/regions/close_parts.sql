{# Regions that cannot be cut any further are groups.
   in: parts, chosen, attributes
   out: rows of regions(grp, n, l1 … ln, g1 … gn) #}
INSERT INTO regions
SELECT p.part AS grp, p.n{{ attributes | each(', p.l#') }}{{ attributes | each(', p.g#') }}
FROM {{ parts | ident }} AS p
LEFT JOIN chosen AS h ON h.part = p.part
WHERE h.part IS NULL
