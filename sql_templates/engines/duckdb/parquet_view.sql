{# in: path of a Parquet file, name
   out: a view over it #}
CREATE OR REPLACE VIEW {{ name | ident }} AS SELECT *
    FROM READ_PARQUET({{ path | file }}, hive_partitioning = FALSE)
