{# Labels that show what the levels of a column look like: those of its most frequent value that is
   not NULL, each where at least k rows have it.
   grain: one row, or none where all values are NULL
   in: cells, dim_<index>, a (attribute), k
   out: (a label, or NULL, for each level that may be released, the least first) #}
WITH counted AS (
    SELECT t.c# AS code, SUM(t.n) AS n FROM cells AS t WHERE t.c# > 0 GROUP BY t.c#
),
example AS (
    SELECT c.code FROM counted AS c ORDER BY c.n DESC, c.code LIMIT 1
)
SELECT
{% for level in range(a.min_level, a.max_level + 1) %}
    CASE WHEN SUM(CASE WHEN d.g{{ level | integer }} = x.g{{ level | integer }} THEN c.n ELSE 0 END)
        >= {{ k | integer }} THEN MIN(x.v{{ level | integer }}) END AS v{{ level | integer }}
    {%- if not loop.last %},{% endif +%}
{% endfor %}
FROM counted AS c
JOIN dim_# AS d ON d.code = c.code
CROSS JOIN example AS e
JOIN dim_# AS x ON x.code = e.code
GROUP BY e.code
