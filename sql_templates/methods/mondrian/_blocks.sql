-- name: close_members
{# The cells of closed parts.
   in: members, closed, attributes, promise, relaxed
   out: rows of settled #}
INSERT INTO settled
SELECT {% if promise.extras %}DISTINCT {% endif %}m.part{{ attributes | each(', m.p#') }}
    {{ promise.within | each(', m.x#') }}
    {% if relaxed %}, m.first, m.last{% endif +%}
FROM {{ members | ident }} AS m
JOIN closed AS e ON e.part = m.part

-- name: close_parts
{# Closed parts are final.
   in: parts, closed, attributes
   out: rows of final_parts #}
INSERT INTO final_parts
SELECT p.part, p.n{{ attributes | each(', p.lo#, p.hi#') }}
FROM {{ parts | ident }} AS p
JOIN closed AS e ON e.part = p.part

-- name: closed
{# Parts that are cut no further: none of their attributes can be cut.
   grain: one row per part
   in: parts, chosen, all (whether every attribute was tried), k
   out: table closed(part) #}
CREATE TABLE closed AS
SELECT p.part
FROM {{ parts | ident }} AS p
LEFT JOIN chosen AS h ON h.part = p.part
WHERE h.part IS NULL{% if not all %} AND (p.stuck = 1 OR p.n < 2 * {{ k | integer }}){% endif +%}

-- name: masks
{# The values that each part has, of attributes with few: bit number p of a whole number says
   whether the part has the value at place p.
   grain: one row per part
   in: settled, narrow (the attributes)
   out: table part_masks(part, m<i>) #}
CREATE TABLE part_masks AS
SELECT
    s.part
    {{ narrow | each(', BIT_OR(CAST(1 AS BIGINT) << s.p#) AS m#') }}
FROM settled AS s
GROUP BY s.part

-- name: no_cells
{# in: members_0, attributes, promise, relaxed
   out: table settled(part, p1 … pn, x<index> of promise.within, first and last when relaxed)
       without rows #}
CREATE TABLE settled AS
SELECT
    m.part{{ attributes | each(', m.p#') }}{{ promise.within | each(', m.x#') }}
    {% if relaxed %}, m.first, m.last{% endif +%}
FROM members_0 AS m
WHERE FALSE

-- name: no_parts
{# in: extents_0, attributes
   out: table final_parts(part, n, lo<i>, hi<i>) without rows #}
CREATE TABLE final_parts AS
SELECT p.part, p.n{{ attributes | each(', p.lo#, p.hi#') }}
FROM extents_0 AS p
WHERE FALSE

-- name: open
{# grain: one row
   in: table (of parts)
   out: how many parts, and their cells #}
SELECT COUNT(*) AS parts, CAST(COALESCE(SUM(p.cells), 0) AS BIGINT) AS cells
FROM {{ table | ident }} AS p
