{# How far the cells between two cuts to try reach.
   grain: one row per part and stretch
   in: lines, attributes
   out: table stretches(part, stretch, n, lo<i>, hi<i>) #}
CREATE TABLE stretches AS
SELECT
    l.part, l.stretch,
    CAST(SUM(l.n) AS BIGINT) AS n
    {{ attributes | each(', MIN(l.y#) AS lo#, MAX(l.y#) AS hi#') }}
FROM lines AS l
GROUP BY l.part, l.stretch
