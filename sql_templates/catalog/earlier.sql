{# grain: one row per run that published, the latest first
   out: (run, table of the release, report as JSON) #}
SELECT DISTINCT r.run, p.table_name, r.report
FROM runs AS r
JOIN releases AS p ON p.run = r.run
WHERE r.report IS NOT NULL
ORDER BY r.run DESC
