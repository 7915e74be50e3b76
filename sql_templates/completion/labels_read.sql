{# grain: one row per label of a column
   in: completed_labels_<index>, c (completed column)
   out: (value, label, lo, hi, rows), in the order of their numbers #}
SELECT v.value,
    v.label, {% if c.held.lo %}v.lo, v.hi{% else %}NULL AS lo, NULL AS hi{% endif %}, v.n
FROM {{ ('completed_labels_' ~ c.index) | ident }} AS v
ORDER BY v.value
