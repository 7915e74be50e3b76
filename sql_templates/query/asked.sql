{# What of each bucket of a column is in the sets that its column must have.
   grain: one row per set, bucket and value
   in: number (of the sets), index (of the column), hits_<number>, stock_<index>
   out: table asked(key, bucket, value, n, size: of the bucket, least and greatest: values of the
       bucket up to this one, itself counted in, from the least upwards and from the greatest
       downwards) #}
CREATE TABLE asked AS
SELECT
    v.key, v.bucket, v.value, v.n, v.size,
    CAST(SUM(v.n) OVER (PARTITION BY v.key, v.bucket
        ORDER BY v.value ASC NULLS FIRST ROWS BETWEEN UNBOUNDED PRECEDING
        AND CURRENT ROW) AS BIGINT) AS least,
    CAST(SUM(v.n) OVER (PARTITION BY v.key, v.bucket
        ORDER BY v.value DESC NULLS FIRST ROWS BETWEEN UNBOUNDED PRECEDING
        AND CURRENT ROW) AS BIGINT) AS greatest
FROM (
    SELECT h.key, s.bucket, s.value, CAST(SUM(s.n) AS BIGINT) AS n, MAX(s.size) AS size
    FROM hits_{{ number | integer }} AS h
    JOIN stock_{{ index | integer }} AS s ON s.code = h.code
    GROUP BY h.key, s.bucket, s.value
) AS v
