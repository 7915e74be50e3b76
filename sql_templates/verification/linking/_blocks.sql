-- name: bucket_texts
{# A table of buckets, to travel.
   grain: one row per row
   in: table, bucket, column, count (its columns)
   out: (bucket, value as text, count) #}
SELECT CAST(r.{{ bucket | ident }} AS BIGINT) AS bucket,
    CAST(r.{{ column | ident }} AS VARCHAR) AS value, CAST(r.{{ count | ident }} AS BIGINT) AS n
FROM {{ table | ident }} AS r

-- name: few_values
{# The fewest different values of a sensitive column among the released rows that a row of the
   source may be which may be any.
   grain: one row
   in: as values_of_tuples, and judged_matches_<steps>
   out: (values) #}
SELECT CAST(COALESCE(MIN(d.n), 0) AS BIGINT) AS fewest
FROM (
    SELECT m.cell, COUNT(DISTINCT v.value) AS n
    FROM judged_matches_{{ steps | integer }} AS m
    JOIN ({% include 'verification/linking/values_of_tuples.sql' %}) AS v ON v.id = m.tuple
    GROUP BY m.cell
) AS d

-- name: pairs_at_most
{# How many pairs of released tuples and combinations of the source there are, whatever agrees.
   grain: one row
   in: judged_tuples, judged_cells
   out: (pairs) #}
SELECT t.n * c.n AS pairs
FROM (SELECT COUNT(*) AS n FROM judged_tuples) AS t
CROSS JOIN (SELECT COUNT(*) AS n FROM judged_cells) AS c

-- name: rows_in_all
{# grain: one row
   in: table (with n)
   out: the rows that it counts #}
SELECT CAST(COALESCE(SUM(t.n), 0) AS BIGINT) AS n
FROM {{ table | ident }} AS t

-- name: values
{# The distinct released values of a column.
   grain: one row per value with its bounds
   in: judged_rows, i (the column's number), bounds (how many columns of bounds it has)
   out: (number, label, bounds as text) #}
SELECT DISTINCT
    r.v{{ i | integer }},
    r.l{{ i | integer }}
{% for number in range(1, bounds + 1) %}
    , CAST(r.{{ ('b' ~ number ~ '_' ~ i) | ident }} AS VARCHAR) AS b{{ number | integer }}
{% endfor %}
FROM judged_rows AS r
