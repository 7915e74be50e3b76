{# The withheld values of a column and how many cells have each.
   grain: one row per value; NULL is a value like another
   in: local_rows (w<index>, s<index>), index
   out: table withheld_<index>(q<index>, n) #}
CREATE TABLE {{ ('withheld_' ~ index) | ident }} AS
SELECT t.s{{ index | integer }} AS q{{ index | integer }}, CAST(COUNT(*) AS BIGINT) AS n
FROM local_rows AS t
WHERE t.w{{ index | integer }} = 1
GROUP BY t.s{{ index | integer }}
