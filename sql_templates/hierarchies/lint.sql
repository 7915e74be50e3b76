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
            {{ range(height) | each("WHEN c.rule = 'parents' AND c.level = # THEN t.parents#") }}
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
        {% for level in range(height) %}
            {# r<level> is the member that names d's group: its label above is to be everybody's #}
            , COUNT(DISTINCT CASE WHEN d.v{{ level | integer }} IS NOT NULL
                AND d.v{{ (level + 1) | integer }}
                    <> r{{ level | integer }}.v{{ (level + 1) | integer }}
                THEN d.g{{ level | integer }} END) AS parents{{ level | integer }}
        {% endfor %}
        {% if a.bounds_type %}
            {{ range(height + 1) | each('
            , COUNT(CASE WHEN d.value < d.lo# OR d.value > d.hi# THEN 1 END) AS bounds#') }}
        {% endif %}
        FROM dim_# AS d
        {% for level in range(height) %}
        JOIN dim_# AS r{{ level | integer }}
            ON r{{ level | integer }}.code = d.g{{ level | integer }}
        {% endfor %}
    ) AS t
    CROSS JOIN (
        VALUES ('missing', 0), ('twice', 0), ('tops', {{ height | integer }})
        {{ range(height) | each(", ('parents', #)") }}
        {% if a.bounds_type %}{{ range(height + 1) | each(", ('bounds', #)") }}{% endif +%}
    ) AS c (rule, level)
    {% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
) AS o
WHERE o.offenders > 0
ORDER BY o.attribute, o.rule, o.level
