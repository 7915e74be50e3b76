{# grain: one row per attribute and level
   in: steps
   out: (attribute, level, greatest less least loss of a cell at that level) #}
SELECT s.attribute, s.level, MAX(s.loss) - MIN(s.loss) AS span
FROM steps AS s
GROUP BY s.attribute, s.level
