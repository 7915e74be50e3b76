{# What lies in the buckets of a column.
   grain: one row per bucket and value
   in: c (queried column), buckets_<index>, domain_<index>, numbers_<index> where values are ordered as
       numbers
   out: table stock_<index>(bucket, code: of the value, value: as a number where it is one, n, size:
       of the bucket) #}
CREATE TABLE stock_{{ c.index | integer }} AS
SELECT
    b.bucket,
    COALESCE(d.code, 0) AS code,
    {% if c.ordered %}MAX(m.number)
        {% else %}CAST(NULL AS {{ c.number | sql_type }}){% endif %} AS value,
    CAST(SUM(s.{{ c.held.bucketed.count | ident }}) AS BIGINT) AS n,
    MAX(b.size) AS size
FROM {{ c.held.bucketed.table | ident }} AS s
JOIN buckets_{{ c.index | integer }} AS b ON b.key = s.{{ c.held.bucketed.key | ident }}
LEFT JOIN domain_{{ c.index | integer }} AS d ON d.value = {{ c.coded | value('s') }}
{% if c.ordered %}
LEFT JOIN numbers_{{ c.index | integer }} AS m ON m.code = d.code
{% endif %}
GROUP BY b.bucket, COALESCE(d.code, 0)
