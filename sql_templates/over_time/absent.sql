{# The rows that were released before and cannot be now: gone from the source, or changed in a
   sensitive value. They have the values that they were released with.
   grain: one row per trace and combination of values
   in: remembered, traced, coded
   out: table absent(trace, x<index>, n: rows, gone: those of them that the source has not any
       more) #}
CREATE TABLE absent AS
SELECT
    r.trace,
    {{ coded | each('r.x#,') }}
    CAST(COUNT(*) AS BIGINT) AS n,
    CAST(SUM(CASE WHEN t.h IS NULL THEN 1 ELSE 0 END) AS BIGINT) AS gone
FROM remembered AS r
LEFT JOIN traced AS t ON t.h = r.h
WHERE t.h IS NULL OR t.part = 0
GROUP BY r.trace{{ coded | each(', r.x#', '') }}
