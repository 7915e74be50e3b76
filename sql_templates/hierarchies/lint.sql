{# What is wrong with the dimension tables; nothing means all is well.
   grain: one row per attribute, rule and level that has offenders
   in: attributes, dim_<index> of each
   out: (attribute, rule, level, offenders): 'missing' source values without labels; 'parents'
       labels of a level
   with more than one label above; 'bounds' values outside their bounds; 'twice' values that equal
   another; 'tops' more than one value at the top #}
SELECT o.attribute, o.rule, o.level, o.offenders
FROM (
{% for a in attributes %}
    {% set height = a.height %}
    SELECT
        # AS attribute,
        c.rule, c.level,
        CASE
            WHEN c.rule = 'missing' THEN t.missing
            WHEN c.rule = 'twice' THEN t.twice
            WHEN c.rule = 'tops' THEN t.tops
        {% if a.bounds_type %}
            {{ range(height + 1) | each("WHEN c.rule = 'bounds' AND c.level = # THEN t.bounds#") }}
        {% endif %}
        END AS offenders
    FROM (
        SELECT
            COUNT(CASE WHEN d.value IS NOT NULL
                AND d.v{{ height | integer }} IS NULL THEN 1 END) AS missing,
            COUNT(d.value) - COUNT(DISTINCT d.value) AS twice,
            COUNT(DISTINCT d.v{{ height | integer }}) - 1 AS tops
        {% if a.bounds_type %}
            {{ range(height + 1) | each('
            , COUNT(CASE WHEN d.value < d.lo# OR d.value > d.hi# THEN 1 END) AS bounds#') }}
        {% endif %}
        FROM dim_# AS d
    ) AS t
    CROSS JOIN (
        VALUES ('missing', 0), ('twice', 0), ('tops', {{ height | integer }})
        {% if a.bounds_type %}{{ range(height + 1) | each(", ('bounds', #)") }}{% endif +%}
    ) AS c (rule, level)
    {# a level by itself: joined to their groups, levels would take far longer to plan than to do #}
    {% for level in range(height) %}
    UNION ALL
    SELECT # AS attribute, 'parents' AS rule, {{ level | integer }} AS level, COUNT(*) AS offenders
    FROM (
        SELECT d.g{{ level | integer }}
        FROM dim_# AS d
        WHERE d.v{{ level | integer }} IS NOT NULL
        GROUP BY d.g{{ level | integer }}
        HAVING MIN(d.v{{ (level + 1) | integer }}) <> MAX(d.v{{ (level + 1) | integer }})
    ) AS p
    {% endfor %}
    {% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
) AS o
WHERE o.offenders > 0
ORDER BY o.attribute, o.rule, o.level
