-- name: regions
{# The classes of cuts through hierarchies as regions: the levels and group codes of their nodes.
   grain: one row per class
   in: kept, paths, attributes
   out: table regions(grp, n, l1 … ln, g1 … gn) #}
CREATE TABLE regions AS
SELECT
    k.grp, k.n
    {{ attributes | each(', p#.level AS l#, p#.up AS g#') }}
FROM kept AS k
{{ attributes | each('JOIN paths AS p# ON p#.part = k.r# AND p#.code = p#.up') }}

-- name: specializations
{# The specializations of cuts: each node that is not closed into its children.
   grain: one row per node, attribute and code
   in: parts (table of cuts), paths
   out: table refinements(node, attribute, candidate: the part, code, part: the child, gain) #}
CREATE TABLE refinements AS
SELECT c.node, c.attribute, c.part AS candidate, c.code, p.part, c.lost - p.lost AS gain
FROM {{ parts | ident }} AS c
JOIN paths AS p ON p.attribute = c.attribute AND p.code = c.code AND p.level = c.level - 1
WHERE NOT c.closed
