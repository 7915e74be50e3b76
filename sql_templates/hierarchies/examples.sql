{# Up to five offenders of one lint rule, for --show-values only.
   grain: one row per offending value or label
   in: a (attribute), rule, level
   out: (text) #}
{% if rule == 'missing' or rule == 'bounds' %}
SELECT CAST(d.value AS VARCHAR) AS example
FROM dim_# AS d
WHERE {% if rule == 'missing' %}d.value IS NOT NULL
    AND d.v{{ a.height | integer }} IS NULL{% else %}d.value < d.lo{{ level | integer }}
    OR d.value > d.hi{{ level | integer }}{% endif +%}
ORDER BY d.code
LIMIT 5
{% elif rule == 'parents' %}
SELECT d.v{{ level | integer }} AS example
FROM dim_# AS d
WHERE d.v{{ level | integer }} IS NOT NULL
GROUP BY d.v{{ level | integer }}
HAVING COUNT(DISTINCT d.v{{ (level + 1) | integer }}) > 1
ORDER BY MIN(d.code)
LIMIT 5
{% else %}
SELECT d.v{{ level | integer }} AS example
FROM dim_# AS d
GROUP BY d.v{{ level | integer }}
ORDER BY MIN(d.code)
LIMIT 5
{% endif %}
