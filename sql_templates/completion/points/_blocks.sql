-- name: labels
{# grain: one row per token and range
   in: completed_token_ranges, completed_runs
   out: (position, token, its rows, its runs from one to before another), in order #}
SELECT r.position, r.token, r.n, f.run, p.run
FROM completed_token_ranges AS r
JOIN completed_runs AS f ON f.position = r.position AND f.first = r.first
JOIN completed_runs AS p ON p.position = r.position AND p.first = r.past
ORDER BY r.position, r.token, f.run

-- name: size
{# grain: one row
   in: table (see completion/points/leaves)
   out: how many leaves it has but NULL #}
SELECT COUNT(l.atom) AS leaves FROM {{ table | ident }} AS l

-- name: widths
{# grain: one row per column and run
   in: completed_runs
   out: (position, atoms in the run), in order #}
SELECT r.position, r.past - r.first
FROM completed_runs AS r
WHERE r.past IS NOT NULL
ORDER BY r.position, r.run
