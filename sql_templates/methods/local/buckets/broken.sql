{# Which numbers of buckets are too many: some bucket does not keep what is promised of the column.
   grain: one row per number of buckets that is
   in: dealt_<index>(buckets, bucket, x<index>, n: cells of the value in the bucket), keys (buckets,
       bucket), promise, values_<index>
   out: (buckets) #}
SELECT DISTINCT k.buckets
FROM (
    {% include 'privacy/classes.sql' +%}
) AS k
WHERE NOT k.ok
