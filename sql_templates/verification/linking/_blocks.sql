-- name: bucket_texts
{# A table of buckets, to travel.
   grain: one row per row
   in: table, bucket, column, count (its columns)
   out: (bucket, value as text, count) #}
SELECT CAST(r.{{ bucket | ident }} AS BIGINT) AS bucket,
    CAST(r.{{ column | ident }} AS VARCHAR) AS value, CAST(r.{{ count | ident }} AS BIGINT) AS n
FROM {{ table | ident }} AS r

-- name: pairs_at_most
{# How many pairs of released tuples and combinations of the source there are, whatever agrees.
   grain: one row
   in: judged_tuples, judged_cells
   out: (pairs) #}
SELECT t.n * c.n AS pairs
FROM (SELECT COUNT(*) AS n FROM judged_tuples) AS t
CROSS JOIN (SELECT COUNT(*) AS n FROM judged_cells) AS c

-- name: rows_in_all
{# grain: one row
   in: table (with n)
   out: the rows that it counts #}
SELECT CAST(COALESCE(SUM(t.n), 0) AS BIGINT) AS n
FROM {{ table | ident }} AS t
