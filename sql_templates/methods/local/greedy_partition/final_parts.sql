{# How far the final parts reach.
   grain: one row per part
   in: ended, spots, attributes
   out: table final_parts(part, n: rows, lo<i> and hi<i>: the first and last place of each
       attribute) #}
CREATE TABLE final_parts AS
SELECT
    e.part,
    CAST(SUM(s.n) AS BIGINT) AS n
    {{ attributes | each(', MIN(s.p#) AS lo#, MAX(s.p#) AS hi#') }}
FROM ended AS e
JOIN spots AS s ON s.id = e.id
GROUP BY e.part
