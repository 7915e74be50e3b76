{# How many combinations of known rows there are at most.
   grain: one row
   in: tables (all below that of people), rows_<number>
   out: (rows, pairs, triples, the most rows of one person) #}
SELECT
    SUM(CAST(v.n AS DOUBLE)) AS singles,
    SUM(CAST(v.n AS DOUBLE) * v.n / 2) AS pairs,
    SUM(CAST(v.n AS DOUBLE) * v.n * v.n / 6) AS triples,
    MAX(v.n) AS most
FROM (
    SELECT u.person, COUNT(*) AS n
    FROM (
    {% for t in tables %}
        SELECT r.person FROM {{ ('rows_' ~ t.number) | ident }} AS r
        {% if not loop.last %}UNION ALL{% endif +%}
    {% endfor %}
    ) AS u
    GROUP BY u.person
) AS v
