-- name: loss_ranges
{# grain: one row per attribute and level
   in: steps
   out: (attribute, level, greatest less least loss of a cell at that level) #}
SELECT s.attribute, s.level, MAX(s.loss) - MIN(s.loss) AS span
FROM steps AS s
GROUP BY s.attribute, s.level

-- name: sizes
{# grain: one row per node and group, in their order
   in: node_groups
   out: (node, rows, loss of a row in steps of 1e-12) #}
SELECT g.node, g.n, g.lost
FROM node_groups AS g
ORDER BY g.node, g.grp

-- name: values
{# The sensitive values of the groups.
   grain: one row per node, group and combination of values
   in: node_groups, table (of frequency sets), names (the keys of a group), promise
   out: (node, grp, promise.extras, rows) #}
SELECT g.node, g.grp, {{ promise.extras | idents('f') }}, f.n
FROM {{ table | ident }} AS f
JOIN node_groups AS g ON g.node = f.node {{ names | each('AND g.@ = f.@') }}
ORDER BY g.node, g.grp, {{ promise.extras | idents('f') }}
