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
