{# grain: one row per column of a Parquet file, in order
   in: path
   out: (name) as written in the file, before DuckDB renames duplicates #}
SELECT s.name
FROM PARQUET_SCHEMA({{ path | file }}) AS s
WHERE s.name <> 'schema' AND s.name <> 'duckdb_schema' AND COALESCE(s.num_children, 0) = 0
