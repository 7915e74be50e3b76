{# The values of a column whose hierarchy is to be drawn.
   grain: one row per value
   in: relation, name (of the column)
   out: (value) #}
SELECT DISTINCT CAST(s.{{ name | ident }} AS VARCHAR) AS leaf
FROM {{ relation | ident }} AS s
WHERE s.{{ name | ident }} IS NOT NULL
ORDER BY leaf NULLS FIRST
