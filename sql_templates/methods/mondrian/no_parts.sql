{# in: extents_0, attributes
   out: table final_parts(part, n, lo<i>, hi<i>) without rows #}
CREATE TABLE final_parts AS
SELECT p.part, p.n{{ attributes | each(', p.lo#, p.hi#') }}
FROM extents_0 AS p
WHERE FALSE
