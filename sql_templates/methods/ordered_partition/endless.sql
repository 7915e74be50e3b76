{# grain: one row per attribute with fractions
   in: attributes (those), dim_<index>
   out: (index, values that are infinite or no number) #}
{% for a in attributes %}
SELECT # AS attribute, COUNT(*) AS endless
FROM dim_# AS d
WHERE d.value IS NOT NULL AND NOT COALESCE(d.value - d.value = 0, FALSE)
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
