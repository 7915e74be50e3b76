{# The report of the run that published a release.
   grain: at most one row
   in: release (its number)
   out: report (JSON) #}
SELECT r.report
FROM runs AS r
WHERE r.report IS NOT NULL AND ENDS_WITH(r.made_from, ' ' || {{ release | literal }})
ORDER BY r.run DESC
LIMIT 1
