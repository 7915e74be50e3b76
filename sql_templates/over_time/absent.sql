{# The rows that were released before and cannot be now: gone from the source, or changed in a
   sensitive value. They have the values that they were released with.
   grain: one row per trace and combination of values
   in: remembered, missing, traced, coded
   out: table absent(trace, x<index>, n: rows) #}
CREATE TABLE absent AS
SELECT a.trace, {{ coded | each('a.x#,') }} CAST(COUNT(*) AS BIGINT) AS n
FROM (
    SELECT {{ coded | each('m.x#,') }} m.trace FROM missing AS m
    UNION ALL
    SELECT {{ coded | each('r.x#,') }} r.trace
    FROM traced AS t
    JOIN remembered AS r ON r.r = t.r
    WHERE t.part = 0
) AS a
GROUP BY a.trace{{ coded | each(', a.x#', '') }}
