-- name: domains
{# grain: one row per attribute
   in: positions
   out: (attribute, its first position, its last one, its codes) #}
SELECT p.attribute, MIN(p.position) AS first_position, MAX(p.position) AS last_position,
    COUNT(*) AS codes
FROM positions AS p
GROUP BY p.attribute
ORDER BY p.attribute

-- name: endless
{# grain: one row per attribute with fractions
   in: attributes (those), dim_<index>
   out: (index, values that are infinite or no number) #}
{% for a in attributes %}
SELECT # AS attribute, COUNT(*) AS endless
FROM dim_# AS d
WHERE d.value IS NOT NULL AND NOT COALESCE(d.value - d.value = 0, FALSE)
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
