{# Closed parts are final.
   in: parts, closed, attributes
   out: rows of final_parts #}
INSERT INTO final_parts
SELECT p.part, p.n{{ attributes | each(', p.lo#, p.hi#') }}
FROM {{ parts | ident }} AS p
JOIN closed AS e ON e.part = p.part
