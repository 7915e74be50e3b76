{# in: extents_0, attributes
   out: table final_parts(part, n, lo<i>, hi<i>) without rows #}
CREATE TABLE final_parts AS
SELECT p.part, p.n{% for a in attributes %}, p.lo{{ a.index | integer }}, p.hi{{ a.index | integer }}{% endfor +%}
FROM extents_0 AS p
WHERE FALSE
