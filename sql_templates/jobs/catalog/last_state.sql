{# What the last run that published to a place recorded of its files.
   grain: at most one row
   in: database, table
   out: (state of the files as JSON, report as JSON) #}
SELECT r.files, r.report
FROM runs AS r
WHERE r.run = (
    SELECT MAX(p.run)
    FROM releases AS p
    WHERE p.database = {{ database | literal }} AND p.table_name = {{ table | literal }}
)
