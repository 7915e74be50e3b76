{# What a released value says of a secret: itself, or of a bucket the values that it holds, each with
   its share of these.
   grain: one row per released value, or bucket, and value
   in: attacked_release, facet (of the secret), j (the number of its buckets, or none),
       judged_buckets_<j>
   out: table attacked_words(label, value, part) #}
CREATE TABLE attacked_words AS
{% if j %}
SELECT b.bucket AS label, b.x AS value,
    CAST(b.n AS DOUBLE) / SUM(b.n) OVER (PARTITION BY b.bucket) AS part
FROM {{ ('judged_buckets_' ~ j) | ident }} AS b
{% else %}
SELECT DISTINCT t.v{{ facet | integer }} AS label, t.v{{ facet | integer }} AS value,
    CAST(1 AS DOUBLE) AS part
FROM attacked_release AS t
{% endif %}
