{# What the last run that published recorded of its files.
   grain: at most one row
   in: nothing
   out: (state of the files as JSON, report as JSON, source in words, release in words) #}
SELECT r.files, r.report, r.source, r.release
FROM runs AS r
WHERE r.run = (SELECT MAX(p.run) FROM releases AS p)
