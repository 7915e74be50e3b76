{# Which released labels stand for the values of which class.
   grain: one row per pair
   in: a (attribute), covers_<index>, classes_<index>
   out: (class, label) #}
SELECT DISTINCT k.class, c.label
FROM covers_{{ a.index | integer }} AS c
JOIN classes_{{ a.index | integer }} AS k ON k.code = c.code
