{# The values that random queries are to name: values of one column, apart from any row.
   grain: one row per place
   in: a (attribute), domain_<index>, drawn_<index>(place)
   out: (place, value) #}
SELECT d.place, d.value
FROM domain_{{ a.index | integer }} AS d
JOIN drawn_{{ a.index | integer }} AS p ON p.place = d.place
WHERE d.code > 0
