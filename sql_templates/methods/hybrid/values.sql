{# The sensitive values of the groups.
   grain: one row per node, group and combination of values
   in: node_groups, table (of frequency sets), names (the keys of a group), promise
   out: (node, grp, promise.extras, rows) #}
SELECT g.node, g.grp, {{ promise.extras | idents('f') }}, f.n
FROM {{ table | ident }} AS f
JOIN node_groups AS g ON g.node = f.node {{ names | each('AND g.@ = f.@') }}
ORDER BY g.node, g.grp, {{ promise.extras | idents('f') }}
