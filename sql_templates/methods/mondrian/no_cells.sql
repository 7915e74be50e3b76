{# in: members_0, attributes, promise, relaxed
   out: table settled(part, p1 … pn, x<index> of promise.within, first and last when relaxed)
       without rows #}
CREATE TABLE settled AS
SELECT
    m.part{{ attributes | each(', m.p#') }}{{ promise.within | each(', m.x#') }}
    {% if relaxed %}, m.first, m.last{% endif +%}
FROM members_0 AS m
WHERE FALSE
