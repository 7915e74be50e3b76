{# The groups with their extents.
   grain: one row per group
   in: settled, attributes
   out: table final_parts(part, n, lo<i> and hi<i>: least and greatest places) #}
CREATE TABLE final_parts AS
SELECT
    s.part,
    CAST(SUM(s.last - s.first + 1) AS BIGINT) AS n
{% for a in attributes %}
    , MIN(s.p{{ a.index | integer }}) AS lo{{ a.index | integer }}
    , MAX(s.p{{ a.index | integer }}) AS hi{{ a.index | integer }}
{% endfor %}
FROM settled AS s
GROUP BY s.part
