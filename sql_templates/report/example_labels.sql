{# Labels that show what the levels of a column look like: those of its most frequent value that is
   not NULL, at the levels that may be released.
   grain: one row, or none where all values are NULL
   in: cells, dim_<index>, a (attribute)
   out: (a label for each level, the least first) #}
SELECT
{% for level in range(a.min_level, a.max_level + 1) %}
    d.v{{ level | integer }}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM (SELECT t.c# AS code, SUM(t.n) AS n FROM cells AS t WHERE t.c# > 0 GROUP BY t.c#) AS s
JOIN dim_# AS d ON d.code = s.code
ORDER BY s.n DESC, s.code
LIMIT 1
