{# in: table, level (the highest)
   out: its first five labels in order #}
SELECT DISTINCT p.v{{ level | integer }} AS label
FROM {{ table | ident }} AS p
ORDER BY label
LIMIT 5
