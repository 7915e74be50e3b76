{# The labels of a dimension that a table has, below the top.
   grain: one row per level and label
   in: groups, attribute, finest (the table's finest level)
   out: level, label #}
SELECT g.level, g.label
FROM groups AS g
WHERE g.attribute = {{ attribute.index | integer }} AND g.level >= {{ finest | integer }}
ORDER BY g.level, g.label
