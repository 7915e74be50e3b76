{# grain: one row
   in: table (of sets)
   out: the greatest rank of a value in a set #}
SELECT COALESCE(MAX(w.rank), 0) AS longest
FROM {{ table | ident }} AS w
