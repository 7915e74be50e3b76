{# The regions that have rows after the relocation.
   grain: one row per region
   in: boxes, kept(part, n), attributes
   out: table final_parts(part, n: rows, lo<i>, hi<i>: the first and last place of its own cells) #}
CREATE TABLE final_parts AS
SELECT b.part, r.n{{ attributes | each(', b.lo#, b.hi#') }}
FROM boxes AS b
JOIN kept AS r ON r.part = b.part
