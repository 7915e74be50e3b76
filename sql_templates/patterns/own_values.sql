{# The values of a column that are sensitive to their rows, before anything is widened or hidden.
   grain: one row per value; NULL is a value like another
   in: marked, index (of the column), of (the index of its attribute where it is semi-sensitive, or 0)
   out: table withheld_<index>(q<index>, n) #}
CREATE TABLE {{ ('withheld_' ~ index) | ident }} AS
SELECT m.s{{ index | integer }} AS q{{ index | integer }}, CAST(COUNT(*) AS BIGINT) AS n
FROM marked AS m
{% if of %}
WHERE m.w{{ of | integer }} = 1
{% endif %}
GROUP BY m.s{{ index | integer }}
