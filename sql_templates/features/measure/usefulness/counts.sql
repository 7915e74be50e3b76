{# How many rows have each combination of bins of some columns.
   grain: one row per draw and combination
   in: useful_rows, columns (one or more)
   out: (draw: 0 of the source, bin of each column, rows) #}
SELECT t.draw, {{ columns | listed('t.b#') }}, CAST(COUNT(*) AS BIGINT) AS n
FROM useful_rows AS t
GROUP BY t.draw, {{ columns | listed('t.b#') }}
