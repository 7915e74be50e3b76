{# The cells in their final parts.
   grain: one row per cell
   in: ended, spots, attributes
   out: table settled(part, p1 … pn) #}
CREATE TABLE settled AS
SELECT e.part{{ attributes | each(', s.p#') }}
FROM ended AS e
JOIN spots AS s ON s.id = e.id
