{# How many labels a dimension of a published table has, by level.
   grain: one row per level
   in: table, dimension, level (its columns)
   out: (level, different labels, NULL counted in) #}
SELECT g.level, CAST(COUNT(*) AS BIGINT) AS labels
FROM (
    SELECT DISTINCT {{ ['t', level] | ident }} AS level, {{ ['t', dimension] | ident }} AS label
    FROM {{ table | ident }} AS t
) AS g
GROUP BY g.level
