-- name: frequent
{# grain: one row per value of a column that at least k people have
   in: a (attribute), person (a column, or none), k, verified_marginal_rows
   out: (value, rows, people) #}
SELECT {{ a | sql('o.v#') }} AS value, COUNT(*) AS n, COUNT({% if person %}DISTINCT o.person{% else %}*{% endif %}) AS people
FROM verified_marginal_rows AS o
GROUP BY {{ a | sql('o.v#') }}
HAVING COUNT({% if person %}DISTINCT o.person{% else %}*{% endif %}) >= {{ k | integer }}

-- name: rare
{# The values of a column that fewer than k people have.
   grain: one row
   in: a (attribute), person (a column, or none), k, verified_marginal_rows
   out: (how many, their rows, their people) #}
SELECT
    COUNT(DISTINCT {{ a | sql("COALESCE('=' || o.v#, '')") }}) AS different,
    COUNT(*) AS n,
    COUNT({% if person %}DISTINCT o.person{% else %}*{% endif %}) AS people
FROM verified_marginal_rows AS o
JOIN (
    SELECT {{ a | sql("COALESCE('=' || t.v#, '')") }} AS value
    FROM verified_marginal_rows AS t
    GROUP BY {{ a | sql("COALESCE('=' || t.v#, '')") }}
    HAVING COUNT({% if person %}DISTINCT t.person{% else %}*{% endif %}) < {{ k | integer }}
) AS f ON f.value = {{ a | sql("COALESCE('=' || o.v#, '')") }}
