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
