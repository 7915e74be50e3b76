{# The values that random queries are to name: values of one column, apart from any row.
   grain: one row per place
   in: a (attribute), domain_<index> (its codes in the order of the values), drawn_<index>(place)
   out: (place, value) #}
SELECT p.place, d.value
FROM domain_# AS d
JOIN drawn_# AS p ON p.place = d.code
WHERE d.code > 0
