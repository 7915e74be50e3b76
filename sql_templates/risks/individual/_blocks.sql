-- name: patterns
{# Which columns are NULL together.
   grain: one row per pattern, in order
   in: risk_cells
   out: (pattern) #}
SELECT DISTINCT c.pattern FROM risk_cells AS c ORDER BY c.pattern

-- name: weights
{# grain: one row
   in: table, weight (a column of numbers)
   out: (rows without a weight, rows with one of 0 or less) #}
SELECT
    COUNT(*) FILTER (WHERE s.{{ weight | ident }} IS NULL) AS missing,
    COUNT(*) FILTER (WHERE s.{{ weight | ident }} <= 0) AS negative
FROM {{ table | ident }} AS s
