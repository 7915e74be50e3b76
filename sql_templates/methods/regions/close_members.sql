{# The cells of regions that cannot be cut any further are assigned to them.
   in: members, chosen, attributes, promise
   out: rows of assigned(c1 … cn, x<index> of promise.within, grp) #}
INSERT INTO assigned
SELECT {% if promise.extras %}DISTINCT {% endif %}{{ attributes | each('m.c#,') }}
    {{ promise.within | each('m.x#,') }}
    m.part AS grp
FROM {{ members | ident }} AS m
LEFT JOIN chosen AS h ON h.part = m.part
WHERE h.part IS NULL
