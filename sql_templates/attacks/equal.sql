{# How many rows have the very values of each predicate.
   grain: one row per predicate that a row satisfies
   in: judged_tuples(id, v<facet>), table (with the facets, n), facets (columns v<facet>)
   out: (id, rows) #}
SELECT g.id, CAST(SUM(t.n) AS BIGINT) AS n
FROM judged_tuples AS g
JOIN {{ table | ident }} AS t ON {{ facets | each('t.@ = g.@', ' AND ') }}
GROUP BY g.id
ORDER BY g.id
