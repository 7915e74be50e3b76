{# All values of a column and how many rows have each: what t-closeness is measured against.
   grain: one row per value; NULL is a value like another
   in: table (s<index>), index
   out: table whole_<index>(q<index>, n) #}
CREATE TABLE {{ ('whole_' ~ index) | ident }} AS
SELECT t.s{{ index | integer }} AS q{{ index | integer }}, CAST(COUNT(*) AS BIGINT) AS n
FROM {{ table | ident }} AS t
GROUP BY t.s{{ index | integer }}
