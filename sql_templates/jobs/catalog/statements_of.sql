{# grain: one row per statement of a run, in order
   in: run
   out: (number, plane, name, rows, milliseconds) #}
SELECT s.number, s.plane, s.name, s.rows, s.milliseconds
FROM statements AS s
WHERE s.run = {{ run | integer }}
ORDER BY s.number
