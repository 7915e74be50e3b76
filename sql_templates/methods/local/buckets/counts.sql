{# How many withheld cells each value of a column has, values in their order: the one that a model
   needs, else their own.
   grain: one row per value
   in: a (coded column), values_<index>, withheld_<index>
   out: (code, n) #}
SELECT v.code, o.n
FROM withheld_# AS o
LEFT JOIN values_# AS u ON u.value = o.q#
JOIN values_# AS v ON v.code = COALESCE(u.code, 0)
ORDER BY {% if a.ordered %}v.place, {% endif %}v.code
