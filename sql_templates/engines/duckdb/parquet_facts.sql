{# What a Parquet file says of itself.
   grain: one row per entry of its metadata
   in: path
   out: (key, value) #}
SELECT DECODE(m.key) AS key, DECODE(m.value) AS value
FROM PARQUET_KV_METADATA({{ path | file }}) AS m
