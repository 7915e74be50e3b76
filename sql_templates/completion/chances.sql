{# How much each atom weighs that a label of a column stands for.
   grain: one row per component, token and atom
   in: c (a completed column), slot (how many units it has), listed (which of the columns value<n>
       lists the atoms' values, or none), completed_ranges, completed_atoms (see completion/drawn)
   out: (position: see completion/drawn, token, low, width, value, weight) #}
SELECT
    r.position,
    r.token,
    a.low,
    a.width,
    {% if listed %}a.{{ ('value' ~ listed) | ident }}{% else %}NULL{% endif %} AS value,
    a.past - a.first AS weight
FROM completed_ranges AS r
JOIN completed_atoms AS a
    ON a.position = r.position
    AND a.first >= r.start + r.first AND a.past <= r.start + r.past
    AND a.slot * {{ slot | integer }} <= a.first
WHERE r.position % 65536 = {{ c.index | integer }}
ORDER BY r.position, r.token, a.first
