{# grain: one row per attribute
   in: places
   out: (attribute, values that it has) #}
SELECT t.attribute, COUNT(*) AS size
FROM places AS t
GROUP BY t.attribute
ORDER BY t.attribute
