{# grain: one row per entry of a Parquet file's metadata
   in: path
   out: key, bytes that are no text as escapes #}
SELECT COALESCE(TRY(DECODE(m.key)), CAST(m.key AS VARCHAR)) AS key
FROM PARQUET_KV_METADATA({{ path | file }}) AS m
