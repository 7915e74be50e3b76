{# How many combinations of known rows there are at most. Where several rows may be known, of those
   that nothing tells apart no more count than may be: see relational/search/held.
   grain: one row
   in: tables (all below that of people), known_rows, rows_<number>
   out: (rows, pairs, triples, the most rows of one person) #}
SELECT
    SUM(CAST(v.n AS DOUBLE)) AS singles,
    SUM(CAST(v.n AS DOUBLE) * v.n / 2) AS pairs,
    SUM(CAST(v.n AS DOUBLE) * v.n * v.n / 6) AS triples,
    MAX(v.n) AS most
FROM (
    SELECT u.person, CAST(SUM(u.n) AS BIGINT) AS n
    FROM (
    {% for t in tables %}
        SELECT r.person,
            {% if known_rows > 1 %}
            LEAST(COUNT(*), {{ known_rows | integer }}) AS n
            {% else %}
            COUNT(*) AS n
            {% endif %}
        FROM {{ ('rows_' ~ t.number) | ident }} AS r
        GROUP BY r.person{% if known_rows > 1 %}, r.parent, r.cell{% endif +%}
        {% if not loop.last %}UNION ALL{% endif +%}
    {% endfor %}
    ) AS u
    GROUP BY u.person
) AS v
