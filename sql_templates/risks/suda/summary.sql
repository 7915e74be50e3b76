{# Rows by the fewest columns that they are alone in, and what their scores add up to.
   grain: one row per number of columns, in order
   in: found (tables, each with the level of its sets and the score of one of them)
   out: (columns, rows, sum of scores, greatest score) #}
SELECT q.least, COUNT(*) AS rows, SUM(q.score) AS total, MAX(q.score) AS greatest
FROM (
    SELECT u.cell, MIN(u.level) AS least, SUM(u.score) AS score
    FROM (
        {% for table in found %}
        SELECT t.cell, {{ table.level | integer }} AS level, {{ table.score | integer }}e0 AS score
        FROM {{ table.name | ident }} AS t
        {% if not loop.last %}UNION ALL{% endif +%}
        {% endfor %}
    ) AS u
    GROUP BY u.cell
) AS q
GROUP BY q.least
ORDER BY q.least
