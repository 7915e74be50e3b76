{# grain: one row per direct generalization of a pass
   in: size (how many attributes its nodes have)
   out: (start, end) #}
SELECT e."start", e."end"
FROM lattice.edges_{{ size | integer }} AS e
ORDER BY e."start", e."end"
