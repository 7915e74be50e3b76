{# Which values of the source go with a kept value, itself alone, or with a bucket, all that it
   holds; what is in no bucket can have any.
   grain: one row per pair
   in: judged_values_<j>, judged_buckets_<j> where buckets, j, facet, everywhere (whether all rows
       are in buckets)
   out: table covers_<facet>(label, code: the numbers of values) #}
CREATE TABLE {{ ('covers_' ~ facet) | ident }} AS
{% if not buckets %}
SELECT t.x AS label, t.x AS code
FROM {{ ('judged_values_' ~ j) | ident }} AS t
UNION ALL
SELECT 0 AS label, 0 AS code
{% else %}
SELECT b.bucket AS label, b.x AS code
FROM {{ ('judged_buckets_' ~ j) | ident }} AS b
{% if not everywhere %}
UNION ALL
SELECT 0 AS label, t.x AS code
FROM {{ ('judged_values_' ~ j) | ident }} AS t
UNION ALL
SELECT 0 AS label, 0 AS code
{% endif %}
{% endif %}
