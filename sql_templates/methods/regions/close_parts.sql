{# Close the regions that no cut was chosen for: each becomes a group of the same number.
   in: parts, chosen (the cut of each region that is cut), attributes
   out: rows of regions(grp, n: rows, l1 … ln levels, g1 … gn group codes) #}
INSERT INTO regions
SELECT p.part AS grp, p.n{{ attributes | each(', p.l#') }}{{ attributes | each(', p.g#') }}
FROM {{ parts | ident }} AS p
LEFT JOIN chosen AS h ON h.part = p.part
WHERE h.part IS NULL
