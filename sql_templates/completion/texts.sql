{# grain: one row per label of a column
   in: table (released rows), name (of the column)
   out: (label) #}
SELECT DISTINCT r.{{ name | ident }} AS label
FROM {{ table | ident }} AS r
WHERE r.{{ name | ident }} IS NOT NULL
