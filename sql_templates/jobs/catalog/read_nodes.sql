{# grain: one row per candidate of a pass
   in: size (how many attributes its nodes have)
   out: (id, dim1, index1, …) #}
SELECT n.id{{ range(1, size + 1) | each(', n.dim#, n.index#') }}

FROM lattice.nodes_{{ size | integer }} AS n
ORDER BY n.id
