-- name: close_members
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

-- name: close_parts
{# Close the regions that no cut was chosen for: each becomes a group of the same number.
   in: parts, chosen (the cut of each region that is cut), attributes
   out: rows of regions(grp, n: rows, l1 … ln levels, g1 … gn group codes) #}
INSERT INTO regions
SELECT p.part AS grp, p.n{{ attributes | each(', p.l#') }}{{ attributes | each(', p.g#') }}
FROM {{ parts | ident }} AS p
LEFT JOIN chosen AS h ON h.part = p.part
WHERE h.part IS NULL
