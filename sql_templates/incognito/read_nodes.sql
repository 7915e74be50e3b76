{# grain: one row per candidate of a pass
   out: (id, dim1, index1, …) #}
SELECT n.id{% for i in range(1, size + 1) %}, n.dim{{ i | integer }}, n.index{{ i | integer }}{% endfor +%}

FROM lattice.nodes_{{ size | integer }} AS n
ORDER BY n.id
