{# The distinct released values of a column.
   grain: one row per value with its bounds
   in: judged_rows, i (the column's number), bounds (how many columns of bounds it has)
   out: (number, label, bounds as text) #}
SELECT DISTINCT
    r.v{{ i | integer }},
    r.l{{ i | integer }}
{% for number in range(1, bounds + 1) %}
    , CAST(r.{{ ('b' ~ number ~ '_' ~ i) | ident }} AS VARCHAR) AS b{{ number | integer }}
{% endfor %}
FROM judged_rows AS r
