{# grain: one row, where there is such a view
   in: view (database, schema and name)
   out: the statement that it was made by #}
SELECT v.sql
FROM DUCKDB_VIEWS() AS v
WHERE v.database_name = {{ view[0] | literal }} AND v.schema_name = {{ view[1] | literal }}
    AND v.view_name = {{ view[2] | literal }}
