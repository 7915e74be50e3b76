{# The distinct released values of a column with the rows that have them.
   grain: one row per value with its bounds
   in: judged_rows, i (the column's number), bounds (how many columns of bounds it has)
   out: (label, bounds as text, rows) #}
SELECT
    r.l{{ i | integer }}
{% for number in range(1, bounds + 1) %}
    , CAST(r.{{ ('b' ~ number ~ '_' ~ i) | ident }} AS VARCHAR) AS b{{ number | integer }}
{% endfor %}
    , CAST(SUM(r.n) AS BIGINT) AS n
FROM judged_rows AS r
GROUP BY r.v{{ i | integer }}, r.l{{ i | integer }}{% for number in range(1, bounds + 1) %}, r.{{ ('b' ~ number ~ '_' ~ i) | ident }}{% endfor +%}
