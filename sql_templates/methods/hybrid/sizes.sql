{# grain: one row per node and group, in their order
   in: node_groups
   out: (node, rows, loss of a row in steps of 1e-12) #}
SELECT g.node, g.n, g.lost
FROM node_groups AS g
ORDER BY g.node, g.grp
