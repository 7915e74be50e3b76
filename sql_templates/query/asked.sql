{# What of each bucket of a column satisfies the conditions on it, once for all questions that ask
   the same.
   grain: one row per shape of conditions, bucket and value
   in: shapes(question, shape), uses_<index>, hits_<index>, stock_<index>, index
   out: table asked(shape, bucket, value, n, size: of the bucket, least and greatest: values of the
       bucket up to this one, itself counted in, from the least upwards and from the greatest
       downwards) #}
CREATE TABLE asked AS
SELECT
    v.shape, v.bucket, v.value, v.n, v.size,
    CAST(SUM(v.n) OVER (PARTITION BY v.shape, v.bucket
        ORDER BY v.value ASC NULLS FIRST ROWS BETWEEN UNBOUNDED PRECEDING
        AND CURRENT ROW) AS BIGINT) AS least,
    CAST(SUM(v.n) OVER (PARTITION BY v.shape, v.bucket
        ORDER BY v.value DESC NULLS FIRST ROWS BETWEEN UNBOUNDED PRECEDING
        AND CURRENT ROW) AS BIGINT) AS greatest
FROM (
    SELECT q.shape, s.bucket, s.value, CAST(SUM(s.n) AS BIGINT) AS n, MAX(s.size) AS size
    FROM (
        SELECT DISTINCT w.shape, u.section
        FROM (SELECT t.shape, MIN(t.question) AS question FROM shapes AS t GROUP BY t.shape) AS w
        JOIN uses_{{ index | integer }} AS u ON u.question = w.question AND u.term > 0
    ) AS q
    JOIN hits_{{ index | integer }} AS h ON h.section = q.section
    JOIN stock_{{ index | integer }} AS s ON s.code = h.code
    GROUP BY q.shape, s.bucket, s.value
) AS v
