{# How many groups a dimension has at every level below the top.
   grain: one row per attribute and level
   in: groups
   out: a SELECT of (attribute, level, groups) #}
SELECT t.attribute, t.level, CAST(COUNT(*) AS BIGINT) AS n
FROM groups AS t
GROUP BY t.attribute, t.level
