{# grain: one row per released value of a column
   in: labels (a table as labels/released makes it), c (as there)
   out: (value, label, lo, hi, rows), in the order of their numbers #}
SELECT v.value,
    v.label, {% if c.held.lo %}v.lo, v.hi{% else %}NULL AS lo, NULL AS hi{% endif %}, v.n
FROM {{ labels | ident }} AS v
ORDER BY v.value
