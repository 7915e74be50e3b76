{# grain: one row per direct generalization of a pass
   out: (start, end) #}
SELECT e."start", e."end"
FROM lattice.edges_{{ size | integer }} AS e
ORDER BY e."start", e."end"
