-- name: domain
{# The values of a column that is told as it is, as far as they are few.
   grain: one row per value, NULL included
   in: c (queried column), domain_<index>, most (how many values, at most)
   out: (value) #}
SELECT d.value
FROM domain_{{ c.index | integer }} AS d
ORDER BY d.code
LIMIT {{ most | integer }}

-- name: drawn
{# What a user's statement gives on one draw of completed tables.
   grain: as the statement has it
   in: statement (that was parsed, held to reading completed tables, and written anew)
   out: its columns #}
{{ statement | select }}

-- name: draws
{# The draws of a completed table.
   grain: one row per draw
   in: table
   out: (draw) #}
SELECT DISTINCT t.draw AS draw
FROM {{ table | ident }} AS t
ORDER BY draw

-- name: fractions
{# How many of a column's values are no multiples of the 1024th: sums of those that are multiples,
   and not too great, are exact.
   grain: one row
   in: c (queried column), numbers_<index>
   out: their number #}
SELECT CAST(COUNT(CASE
    WHEN d.number * 1024 = FLOOR(d.number * 1024) THEN NULL ELSE 1 END) AS BIGINT) AS n
FROM numbers_{{ c.index | integer }} AS d

-- name: labels_among
{# Which of some texts are labels of a column.
   grain: one row per label
   in: table (released rows), name (of the column), texts
   out: (label) #}
SELECT DISTINCT CAST(r.{{ name | ident }} AS VARCHAR) AS label
FROM {{ table | ident }} AS r
WHERE CAST(r.{{ name | ident }} AS VARCHAR) IN ({{ texts | literals }})
ORDER BY label

-- name: moments
{# The values of a column of dates or timestamps.
   grain: one row per value but NULL
   in: c (queried column), domain_<index>
   out: (code, value) #}
SELECT d.code, d.value
FROM domain_{{ c.index | integer }} AS d
WHERE d.code > 0

-- name: reaches
{# How far a column's values lie from 0.
   grain: one row
   in: c (queried column), domain_<index>
   out: (least, greatest) #}
SELECT MIN(d.value) AS least, MAX(d.value) AS greatest
FROM domain_{{ c.index | integer }} AS d

-- name: stocked
{# The values of a column that lie in buckets, as far as they are few.
   grain: one row per value
   in: c (queried column), stock_<index>, domain_<index>, most (how many values, at most)
   out: (value, cells) #}
SELECT d.value, CAST(SUM(s.n) AS BIGINT) AS n
FROM stock_{{ c.index | integer }} AS s
JOIN domain_{{ c.index | integer }} AS d ON d.code = s.code
GROUP BY d.value
ORDER BY d.value NULLS FIRST
LIMIT {{ most | integer }}
