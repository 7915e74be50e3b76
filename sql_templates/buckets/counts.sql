{# How many withheld cells each value of a column has, values in their order: the one that a model needs, else that of their
   hierarchy from the top, else their own.
   grain: one row per value
   in: a (coded column), values_<index>, withheld_<index>, dim_<index> when it has a hierarchy
   out: (code, n) #}
SELECT v.code, o.n
FROM {{ ('withheld_' ~ a.index) | ident }} AS o
LEFT JOIN {{ ('values_' ~ a.index) | ident }} AS u ON u.value = o.q{{ a.index | integer }}
JOIN {{ ('values_' ~ a.index) | ident }} AS v ON v.code = COALESCE(u.code, 0)
{% if a.attribute and not a.ordered %}
LEFT JOIN {{ ('dim_' ~ a.index) | ident }} AS d ON d.value = v.value
{% endif %}
ORDER BY
{% if a.ordered %}
    v.place,
{% elif a.attribute %}
{% for level in range(a.attribute.height - 1, -1, -1) %}
    COALESCE(d.g{{ level | integer }}, 0),
{% endfor %}
{% endif %}
    v.code
