{# How many windows there are, and the most runs of rows that one stands for.
   grain: one row
   in: windows
   out: (windows: numbered from 0, runs) #}
SELECT COUNT(*) AS windows, COALESCE(MAX(w.last_run - w.first_run), 0) + 1 AS runs
FROM windows AS w
