{# The released values of a column.
   grain: one row per value
   in: table (released rows), name
   out: (the value as text, and as it is) #}
SELECT DISTINCT CAST(r.{{ name | ident }} AS VARCHAR) AS word, r.{{ name | ident }} AS label
FROM {{ table | ident }} AS r
