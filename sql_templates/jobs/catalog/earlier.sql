{# grain: one row per table of a release and report of it
   out: (table of the release, report as JSON) #}
SELECT DISTINCT p.table_name, r.report
FROM runs AS r
JOIN releases AS p ON p.run = r.run
WHERE r.report IS NOT NULL
