{# Which released labels stand for the values of which class.
   grain: one row per pair
   in: a (attribute), covers_<index>, classes_<index>
   out: (class, label) #}
SELECT DISTINCT k.class, c.label
FROM covers_# AS c
JOIN classes_# AS k ON k.code = c.code
