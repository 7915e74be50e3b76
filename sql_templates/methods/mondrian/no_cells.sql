{# in: members_0, attributes, relaxed
   out: table settled(part, p1 … pn, first and last when relaxed) without rows #}
CREATE TABLE settled AS
SELECT m.part{{ attributes | each(', m.p#') }}{% if relaxed %}, m.first, m.last{% endif +%}
FROM members_0 AS m
WHERE FALSE
