{# grain: one row per released value of a column
   in: values_<index>, c (facet)
   out: (value, label, lo, hi, rows) #}
SELECT v.value,
    v.label, {% if c.held.lo %}v.lo, v.hi{% else %}NULL AS lo, NULL AS hi{% endif %}, v.n
FROM values_{{ c.index | integer }} AS v
