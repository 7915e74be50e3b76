{# Released rows whose values in some columns no other released row has.
   grain: one row per such row
   in: table (of released rows), facets (columns v<facet>)
   out: (id of its combination) #}
SELECT MIN(t.id) AS id
FROM {{ table | ident }} AS t
GROUP BY {{ facets | idents('t') }}
HAVING SUM(t.n) = 1
ORDER BY id
