{# Released rows whose values in some columns no other released row has.
   grain: one row per such row
   in: attacked_release, facets (columns v<facet>)
   out: (id of its combination) #}
SELECT MIN(t.id) AS id
FROM attacked_release AS t
GROUP BY {{ facets | idents('t') }}
HAVING SUM(t.n) = 1
ORDER BY id
