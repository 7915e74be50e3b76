{# The values of a column's buckets, numbered.
   grain: one row per bucket and value
   in: judged_buckets_<j>, j, steps
   out: table bucket_places(p<steps>: from 1, bucket, x, n) #}
CREATE TABLE bucket_places AS
SELECT
    ROW_NUMBER() OVER (ORDER BY b.bucket NULLS FIRST, b.x NULLS FIRST)
        AS p{{ steps | integer }},
    b.bucket,
    b.x,
    b.n
FROM {{ ('judged_buckets_' ~ j) | ident }} AS b
