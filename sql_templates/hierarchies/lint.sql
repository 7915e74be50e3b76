{# What is wrong with the dimension tables; nothing means all is well.
   grain: one row per attribute, rule and level that has offenders
   in: dim_<index> of every attribute
   out: (attribute, rule, level, offenders): 'missing' source values without labels; 'parents' labels of a level
   with more than one label above; 'bounds' values outside their bounds; 'twice' values that equal another; 'tops' more than one value at the top #}
SELECT o.attribute, o.rule, o.level, o.offenders
FROM (
{% for a in attributes %}
    SELECT {{ a.index | integer }} AS attribute, 'missing' AS rule, 0 AS level, COUNT(*) AS offenders
    FROM dim_{{ a.index | integer }} AS d
    WHERE d.value IS NOT NULL AND d.v{{ a.height | integer }} IS NULL
    UNION ALL
    SELECT {{ a.index | integer }}, 'twice', 0, COUNT(*)
    FROM dim_{{ a.index | integer }} AS d
    JOIN dim_{{ a.index | integer }} AS e ON e.value = d.value AND e.code > d.code
    UNION ALL
    {% if a.bounds_type %}
    {% for level in range(a.height + 1) %}
    SELECT {{ a.index | integer }}, 'bounds', {{ level | integer }}, COUNT(*)
    FROM dim_{{ a.index | integer }} AS d
    WHERE d.value < d.lo{{ level | integer }} OR d.value > d.hi{{ level | integer }}
    UNION ALL
    {% endfor %}
    {% endif %}
    {% for level in range(a.height) %}
    SELECT {{ a.index | integer }}, 'parents', {{ level | integer }}, COUNT(*)
    FROM (
        SELECT d.v{{ level | integer }}
        FROM dim_{{ a.index | integer }} AS d
        WHERE d.v{{ level | integer }} IS NOT NULL
        GROUP BY d.v{{ level | integer }}
        HAVING COUNT(DISTINCT d.v{{ (level + 1) | integer }}) > 1
    ) AS p
    UNION ALL
    {% endfor %}
    SELECT {{ a.index | integer }}, 'tops', {{ a.height | integer }}, COUNT(DISTINCT d.v{{ a.height | integer }}) - 1
    FROM dim_{{ a.index | integer }} AS d
    {% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
) AS o
WHERE o.offenders > 0
ORDER BY o.attribute, o.rule, o.level
