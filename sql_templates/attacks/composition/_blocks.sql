-- name: open
{# What is known of the source's rows altogether.
   grain: one row
   in: together_groups, together_parts
   out: (rows of the source, rows whose classes are known) #}
SELECT
    (SELECT CAST(COALESCE(SUM(g.n), 0) AS BIGINT) FROM together_groups AS g) AS n,
    (SELECT CAST(COALESCE(SUM(p.size), 0) AS BIGINT) FROM together_parts AS p) AS known

-- name: rows
{# The rows of the source, numbered: a release's column of traces is joined by the number.
   grain: one row per row of the source
   in: source, row (name of the number's column), columns (those that releases may have)
   out: table together_rows(row, the columns by their names) #}
CREATE TABLE together_rows AS
SELECT
    ROW_NUMBER() OVER (ORDER BY r.{{ columns[0] | ident }} NULLS FIRST) AS {{ row | ident }},
    {{ columns | idents('r') }}
FROM {{ source | ident }} AS r
