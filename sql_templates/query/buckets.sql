{# The buckets of a column, numbered downwards from -2: rows have these numbers in the place of a
   released value's.
   grain: one row per bucket
   in: c (queried column)
   out: table buckets_<index>(bucket, key, size: values in it) #}
CREATE TABLE buckets_{{ c.index | integer }} AS
SELECT -1 - ROW_NUMBER() OVER (ORDER BY k.key NULLS FIRST) AS bucket, k.key, k.size
FROM (
    SELECT s.{{ c.held.bucketed.key | ident }} AS key,
        CAST(SUM(s.{{ c.held.bucketed.count | ident }}) AS BIGINT) AS size
    FROM {{ c.held.bucketed.table | ident }} AS s
    WHERE s.{{ c.held.bucketed.key | ident }} IS NOT NULL
    GROUP BY s.{{ c.held.bucketed.key | ident }}
) AS k
