{# A table of buckets, to travel.
   grain: one row per row
   in: table, bucket, column, count (its columns)
   out: (bucket, value as text, count) #}
SELECT CAST(r.{{ bucket | ident }} AS BIGINT) AS bucket,
    CAST(r.{{ column | ident }} AS VARCHAR) AS value, CAST(r.{{ count | ident }} AS BIGINT) AS n
FROM {{ table | ident }} AS r
