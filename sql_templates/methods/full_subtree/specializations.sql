{# The specializations of cuts: each node that is not closed into its children.
   grain: one row per node, attribute and code
   in: parts (table of cuts), paths
   out: table refinements(node, attribute, candidate: the part, code, part: the child, gain) #}
CREATE TABLE refinements AS
SELECT c.node, c.attribute, c.part AS candidate, c.code, p.part, c.lost - p.lost AS gain
FROM {{ parts | ident }} AS c
JOIN paths AS p ON p.attribute = c.attribute AND p.code = c.code AND p.level = c.level - 1
WHERE NOT c.closed
