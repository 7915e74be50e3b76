-- name: counts
{# How many rows have each combination of bins of some columns.
   grain: one row per draw and combination
   in: useful_rows, columns (one or more)
   out: (draw: 0 of the source, bin of each column, rows) #}
SELECT t.draw, {{ columns | listed('t.b#') }}, CAST(COUNT(*) AS BIGINT) AS n
FROM useful_rows AS t
GROUP BY t.draw, {{ columns | listed('t.b#') }}

-- name: groups
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
