{# What a correlation is made of, over the rows where both columns have a number.
   grain: one row per draw
   in: useful_rows, a and other (columns of numbers)
   out: (draw, rows, sum of the one and the other, of their squares, of their product) #}
SELECT
    t.draw, CAST(COUNT(*) AS BIGINT) AS n,
    SUM(t.x) AS x, SUM(t.y) AS y, SUM(t.x * t.x) AS xx, SUM(t.y * t.y) AS yy, SUM(t.x * t.y) AS xy
FROM (
    SELECT
        u.draw,
        CAST(u.z# AS DOUBLE) / 1000000 AS x,
        CAST(u.z{{ other.index | integer }} AS DOUBLE) / 1000000 AS y
    FROM useful_rows AS u
    WHERE u.z# IS NOT NULL AND u.z{{ other.index | integer }} IS NOT NULL
) AS t
GROUP BY t.draw
