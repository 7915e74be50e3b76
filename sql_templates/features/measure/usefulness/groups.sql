{# The sums of numbers by the bins of another column.
   grain: one row per draw and bin
   in: useful_rows, a (the column of the groups), numbers (columns of numbers, one or more)
   out: (draw, bin, then of each number the rows that have one and their sum) #}
SELECT
    t.draw, t.b# AS bin,
    {{ numbers | listed('CAST(COUNT(t.z#) AS BIGINT) AS n#') }},
    {{ numbers | listed('SUM(CAST(t.z# AS DOUBLE)) / 1000000 AS s#') }}
FROM useful_rows AS t
GROUP BY t.draw, t.b#
