{# Each recoding as a whole.
   grain: one row per node
   in: classes (table), measure, rows, promise
   out: (node, suppressed rows, cost by the measure, the least cost that a coarser recoding can
       have) #}
{% from 'methods/refinement/macros.sql' import cost %}
SELECT
    x.node,
    CAST(SUM(CASE WHEN x.ok THEN 0 ELSE x.n END) AS BIGINT) AS suppressed,
    CAST(SUM({{ cost(measure, rows) }}) AS BIGINT) AS cost,
    CAST(SUM(x.n
        * {% if measure == 'loss' %}x.lost{% else %}GREATEST(x.n,
        {{ promise.k | integer }}){% endif %}) AS BIGINT) AS least
FROM {{ classes | ident }} AS x
GROUP BY x.node
ORDER BY x.node
