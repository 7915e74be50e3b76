{# What the groups of dimensions are part of, by their labels.
   grain: one row per attribute, level and group below the highest level with groups
   in: groups
   out: (attribute, level, label, label of the group at the next level) #}
SELECT g.attribute, g.level, g.label, u.label AS above
FROM groups AS g
JOIN groups AS u ON u.attribute = g.attribute AND u.level = g.level + 1 AND u.code = g.up
