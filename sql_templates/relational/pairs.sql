{# How many combinations of known rows there are at most.
   grain: one row
   in: tables (all below that of people), known_rows, rows_<number>
   out: (combinations, the most rows of one person) #}
SELECT
    SUM(POWER(CAST(v.n AS DOUBLE), {{ known_rows | integer }})
        / {{ (2 if known_rows == 2 else 6) | integer }}) AS combinations,
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
