{# in: path of a Parquet file
   out: view source_rows over it #}
CREATE VIEW source_rows AS SELECT * FROM READ_PARQUET({{ path | file }}, hive_partitioning = FALSE)
