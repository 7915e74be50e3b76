{# The buckets of a column, their values by the numbers that the source's have; -1 for one that it
   does not have, 0 for NULL.
   grain: one row per bucket and value
   in: table, bucket, column, count (its columns), j, cast, text (see verification/linking/macros),
       judged_values_<j>
   out: table judged_buckets_<j>(bucket: see verification/linking/macros, x, n) #}
{% from 'verification/linking/macros.sql' import bucket_number, kept_value %}
CREATE TABLE {{ ('judged_buckets_' ~ j) | ident }} AS
SELECT u.bucket, u.x, CAST(SUM(u.n) AS BIGINT) AS n
FROM (
    SELECT
        {{ bucket_number(['r', bucket]) }} AS bucket,
        CASE WHEN r.{{ column | ident }} IS NULL THEN 0 ELSE COALESCE(t.x, -1) END AS x,
        r.{{ count | ident }} AS n
    FROM {{ table | ident }} AS r
    LEFT JOIN {{ ('judged_values_' ~ j) | ident }} AS t
        ON t.value = {{ kept_value(column, cast, text) }}
) AS u
GROUP BY u.bucket, u.x
