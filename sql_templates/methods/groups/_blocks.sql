-- name: domains
{# grain: one row per attribute
   in: places
   out: (attribute, values that it has) #}
SELECT t.attribute, COUNT(*) AS size
FROM places AS t
GROUP BY t.attribute
ORDER BY t.attribute

-- name: no_cells
{# in: cells, attributes, promise
   out: table assigned(c1 … cn, x<index> of promise.within, grp) without rows #}
CREATE TABLE assigned AS
SELECT {{ attributes | each('t.c#,') }} {{ promise.within | each('t.x#,') }} t.n AS grp
FROM cells AS t
WHERE FALSE

-- name: no_regions
{# in: cells, attributes
   out: table regions(grp, n, l1 … ln, g1 … gn) without rows #}
CREATE TABLE regions AS
SELECT t.n AS grp, t.n{{ attributes | each(', t.c# AS l#') }}{{ attributes | each(', t.c# AS g#') }}
FROM cells AS t
WHERE FALSE

-- name: starred
{# Groups that are released as * in every quasi-identifying column: masked rows could not be told
   from them.
   grain: one row
   in: groups, attributes
   out: how many #}
SELECT COUNT(*) AS starred
FROM groups AS x
WHERE {{ attributes | each("x.v# = '*'", ' AND ') }}
