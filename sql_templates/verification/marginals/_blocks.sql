-- name: frequent
{# grain: one row per value of a column that at least k rows have
   in: a (attribute), k, verified_marginal_rows
   out: (value, rows) #}
SELECT {{ a | sql('o.v#') }} AS value, COUNT(*) AS n
FROM verified_marginal_rows AS o
GROUP BY {{ a | sql('o.v#') }}
HAVING COUNT(*) >= {{ k | integer }}

-- name: rare
{# The values of a column that fewer than k rows have.
   grain: one row
   in: a (attribute), k, verified_marginal_rows
   out: (how many, their rows) #}
SELECT COUNT(*) AS different, SUM(f.n) AS n
FROM (
    SELECT COUNT(*) AS n
    FROM verified_marginal_rows AS t
    GROUP BY {{ a | sql('t.v#') }}
    HAVING COUNT(*) < {{ k | integer }}
) AS f
