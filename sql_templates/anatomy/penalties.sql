{# What would be lost if every row had the values of its whole group, as a set: (distinct values of the group - 1) / (distinct
   values of the table - 1), summed over rows.
   grain: one row
   in: separated, attributes, group (the position of the group's number)
   out: that sum for each attribute #}
SELECT
{% for a in attributes %}
    COALESCE(CAST(SUM(g.n * (g.v{{ a.index | integer }} - 1)) AS DOUBLE) / NULLIF(MAX(w.v{{ a.index | integer }}) - 1, 0), 0) AS lost{{ a.index | integer }}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM (
    SELECT
    {% for a in attributes %}
        COUNT(DISTINCT t.c{{ a.index | integer }}) AS v{{ a.index | integer }},
    {% endfor %}
        COUNT(*) AS n
    FROM separated AS t
    GROUP BY t.r{{ group | integer }}
) AS g
CROSS JOIN (
    SELECT {% for a in attributes %}COUNT(DISTINCT t.c{{ a.index | integer }}) AS v{{ a.index | integer }}{% if not loop.last %}, {% endif %}{% endfor %} FROM separated AS t
) AS w
