{# grain: one row per label that stands for something
   in: a (attribute), covers_<index>
   out: (label, values that it stands for) #}
SELECT v.label, COUNT(*) AS covered
FROM covers_# AS v
GROUP BY v.label
