{# in: database, table, files (JSON)
   out: what the last run that published to a place knows of its files #}
UPDATE runs SET files = {{ files | literal }}
WHERE run = (
    SELECT MAX(p.run)
    FROM releases AS p
    WHERE p.database = {{ database | literal }} AND p.table_name = {{ table | literal }}
)
