{# How far the final parts reach.
   grain: one row per part
   in: ended, spots, attributes
   out: table final_parts(part, n: rows, lo<i> and hi<i>: the first and last place of each attribute) #}
CREATE TABLE final_parts AS
SELECT
    e.part,
    CAST(SUM(s.n) AS BIGINT) AS n
{% for a in attributes %}
    , MIN(s.p{{ a.index | integer }}) AS lo{{ a.index | integer }}
    , MAX(s.p{{ a.index | integer }}) AS hi{{ a.index | integer }}
{% endfor %}
FROM ended AS e
JOIN spots AS s ON s.id = e.id
GROUP BY e.part
