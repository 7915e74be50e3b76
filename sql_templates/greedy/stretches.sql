{# How far the cells between two cuts to try reach.
   grain: one row per part and stretch
   in: lines, attributes
   out: table stretches(part, stretch, n, lo<i>, hi<i>) #}
CREATE TABLE stretches AS
SELECT
    l.part,
    l.stretch,
    CAST(SUM(l.n) AS BIGINT) AS n
{% for a in attributes %}
    , MIN(l.y{{ a.index | integer }}) AS lo{{ a.index | integer }}
    , MAX(l.y{{ a.index | integer }}) AS hi{{ a.index | integer }}
{% endfor %}
FROM lines AS l
GROUP BY l.part, l.stretch
