{# grain: one row per attribute
   in: positions
   out: (attribute, its first position, its last one, its codes) #}
SELECT p.attribute, MIN(p.position) AS first_position, MAX(p.position) AS last_position,
    COUNT(*) AS codes
FROM positions AS p
GROUP BY p.attribute
ORDER BY p.attribute
