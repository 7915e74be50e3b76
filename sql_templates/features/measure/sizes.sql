{# grain: one row per attribute
   in: domain_<index>, attributes
   out: (attribute, values that the data has, those of them that are not NULL) #}
{% for a in attributes %}
SELECT # AS attribute, COUNT(*) AS size,
    COUNT(CASE WHEN d.code > 0 THEN 1 END) AS known
FROM domain_# AS d
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
