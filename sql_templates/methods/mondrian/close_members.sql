{# The cells of closed parts.
   in: members, closed, attributes, promise, relaxed
   out: rows of settled #}
INSERT INTO settled
SELECT {% if promise.extras %}DISTINCT {% endif %}m.part{{ attributes | each(', m.p#') }}
    {{ promise.within | each(', m.x#') }}
    {% if relaxed %}, m.first, m.last{% endif +%}
FROM {{ members | ident }} AS m
JOIN closed AS e ON e.part = m.part
