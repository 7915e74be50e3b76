{# How far a column's values lie from 0.
   grain: one row
   in: c (queried column), domain_<index>
   out: (least, greatest) #}
SELECT MIN(d.value) AS least, MAX(d.value) AS greatest
FROM domain_{{ c.index | integer }} AS d
