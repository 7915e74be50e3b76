-- name: labels
{# grain: one row per token and range
   in: completed_token_ranges, completed_runs
   out: (position, token, its rows, its runs from one to before another), in order #}
SELECT r.position, r.token, r.n, f.run, p.run
FROM completed_token_ranges AS r
JOIN completed_runs AS f ON f.position = r.position AND f.first = r.first
JOIN completed_runs AS p ON p.position = r.position AND p.first = r.past
ORDER BY r.position, r.token, f.run

-- name: shown
{# The runs that are values whose frequency is published, and those that are NULL.
   grain: one row per column and such a run
   in: completed_runs, completed_found, completed_token_ranges
   out: (position, run, number of the value from 0; -1: NULL) #}
SELECT r.position, r.run, -f.value - 1 AS number
FROM completed_runs AS r
JOIN completed_found AS f ON f.position = r.position AND f.first = r.first AND f.value < 0
WHERE r.past IS NOT NULL
UNION ALL
SELECT r.position, r.run, -1 AS number
FROM completed_runs AS r
WHERE r.past IS NOT NULL AND r.first = (
    SELECT MIN(t.points) FROM completed_token_ranges AS t WHERE t.position = r.position
)

-- name: size
{# grain: one row per column
   in: indices (of columns: see completion/points/leaves)
   out: (index, how many leaves but NULL it has) #}
{% for index in indices %}
SELECT {{ index | integer }} AS position, COUNT(l.atom) AS leaves
FROM {{ ('completed_leaves_' ~ index) | ident }} AS l
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}

-- name: sizes
{# What is known of columns before their values are drawn.
   grain: one row per column
   in: completed_token_ranges
   out: (position, atoms but NULL, tokens, whether every token has one range, and is one atom) #}
SELECT
    r.position, MIN(r.points), COUNT(DISTINCT r.token),
    CASE WHEN COUNT(*) = COUNT(DISTINCT r.token) THEN 1 ELSE 0 END AS ranged,
    CASE WHEN COUNT(*) = COUNT(DISTINCT r.token) AND MAX(r.past - r.first) = 1
        THEN 1 ELSE 0 END AS single
FROM completed_token_ranges AS r
GROUP BY r.position

-- name: widths
{# grain: one row per column and run
   in: completed_runs
   out: (position, atoms in the run), in order #}
SELECT r.position, r.past - r.first
FROM completed_runs AS r
WHERE r.past IS NOT NULL
ORDER BY r.position, r.run
