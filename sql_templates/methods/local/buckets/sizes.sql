{# The buckets of each column. A value's place is that of methods/local/buckets/counts.
   grain: one row per column that has withheld cells
   in: bucketed, dealt (indices), values_<index>, plan_<index>(code, place)
   out: (index, cells, buckets, cells of the smallest and of the largest, the greatest share of a
       value in a bucket, the mean over cells of (places between the least and the greatest value of
       the bucket) / (those of the column; 1 where it has one value)) #}
{% for index in dealt %}
SELECT
    {{ index | integer }} AS own_index,
    CAST(SUM(g.n) AS BIGINT) AS cells,
    COUNT(*) AS buckets,
    MIN(g.n) AS least,
    MAX(g.n) AS most,
    MAX(CAST(g.frequent AS DOUBLE) / g.n) AS share,
    CAST(SUM(g.n * (g.high - g.low)) AS DOUBLE) / MAX(w.places) / SUM(g.n) AS spread
FROM (
    SELECT c.bucket, CAST(SUM(c.n) AS BIGINT) AS n, MAX(c.n) AS frequent, MIN(p.place) AS low,
        MAX(p.place) AS high
    FROM (
        SELECT t.b{{ index | integer }} AS bucket, COALESCE(v.code, 0) AS code, COUNT(*) AS n
        FROM bucketed AS t
        LEFT JOIN {{ ('values_' ~ index) | ident }} AS v ON v.value = t.s{{ index | integer }}
        WHERE t.w{{ index | integer }} = 1
        GROUP BY t.b{{ index | integer }}, COALESCE(v.code, 0)
    ) AS c
    JOIN {{ ('plan_' ~ index) | ident }} AS p ON p.code = c.code
    GROUP BY c.bucket
) AS g
CROSS JOIN (SELECT CASE WHEN COUNT(*) > 1 THEN COUNT(*) - 1 ELSE 1 END AS places
    FROM {{ ('plan_' ~ index) | ident }} AS q) AS w
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
