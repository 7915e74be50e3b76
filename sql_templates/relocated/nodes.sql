{# The rows of one side.
   grain: one row per distinct combination of kept and quasi-identifying values, in their order
   in: relocated_rows, side, attributes
   out: (kept, v<i> …, n) #}
SELECT
    r.kept,
{% for a in attributes %}
    r.v{{ a.index | integer }},
{% endfor %}
    CAST(SUM(r.n) AS BIGINT) AS n
FROM relocated_rows AS r
WHERE r.side = {{ side | integer }}
GROUP BY r.kept, {% for a in attributes %}r.v{{ a.index | integer }}{% if not loop.last %}, {% endif %}{% endfor +%}
ORDER BY r.kept, {% for a in attributes %}r.v{{ a.index | integer }}{% if not loop.last %}, {% endif %}{% endfor +%}
