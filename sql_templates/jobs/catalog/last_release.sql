{# The run whose release is the published one: the last that published to that place.
   grain: at most one row
   in: database, table
   out: (what it was made from, its report) #}
SELECT r.made_from, r.report
FROM runs AS r
JOIN releases AS p ON p.run = r.run
WHERE p.database = {{ database | literal }} AND p.table_name = {{ table | literal }}
ORDER BY r.run DESC
LIMIT 1
