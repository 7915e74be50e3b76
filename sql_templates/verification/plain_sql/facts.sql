{# Counts that __about states and the rows contradict, for anybody to run on a release.
   grain: one row per such fact
   in: table, about, keys (the columns whose values define the classes: none where classes are not
       to be counted), masked (see verification/plain_sql/small_classes)
   out: (property, stated, counted) #}
SELECT a.property, a.value AS stated, c.counted
FROM (
    SELECT 'rows' AS property, COUNT(*) AS counted
    FROM {{ table | ident }} AS r
    {% if masked %}
    UNION ALL
    SELECT 'masked', COUNT(*)
    FROM {{ table | ident }} AS m
    WHERE {{ masked | each("COALESCE(m.@, '') = '*'", ' AND ') }}
    {% endif %}
    {% if keys %}
    UNION ALL
    SELECT 'classes', COUNT(*)
    FROM (
        SELECT COUNT(*) AS size
        FROM {{ table | ident }} AS t
        {% if masked %}
        WHERE NOT ({{ masked | each("COALESCE(t.@, '') = '*'", ' AND ') }})
        {% endif %}
        GROUP BY {{ keys | idents('t') }}
    ) AS g
    {% endif %}
) AS c
LEFT JOIN {{ about | ident }} AS a ON a.property = c.property
WHERE a.value IS NULL OR a.value <> CAST(c.counted AS VARCHAR)
