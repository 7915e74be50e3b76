{# grain: one row per column and run
   in: completed_runs
   out: (position, atoms in the run), in order #}
SELECT r.position, r.past - r.first
FROM completed_runs AS r
WHERE r.past IS NOT NULL
ORDER BY r.position, r.run
