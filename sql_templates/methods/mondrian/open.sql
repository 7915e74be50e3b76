{# grain: one row
   in: table (of parts)
   out: how many parts, and their cells #}
SELECT COUNT(*) AS parts, CAST(COALESCE(SUM(p.cells), 0) AS BIGINT) AS cells
FROM {{ table | ident }} AS p
