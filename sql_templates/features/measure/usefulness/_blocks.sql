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

-- name: people
{# What people look like in the columns that others may know of them, in source and draws.
   grain: one row per distinct combination of bins
   in: useful_rows, columns (one or more)
   out: table useful_people(b<index> …, n: rows of the source, r: rows of all draws) #}
CREATE TABLE useful_people AS
SELECT
    {{ columns | each('t.b#,') }}
    CAST(SUM(CASE WHEN t.draw = 0 THEN 1 ELSE 0 END) AS BIGINT) AS n,
    CAST(SUM(CASE WHEN t.draw = 0 THEN 0 ELSE 1 END) AS BIGINT) AS r
FROM useful_rows AS t
GROUP BY {{ columns | listed('t.b#') }}
