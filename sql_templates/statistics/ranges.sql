{# Which combinations of the dimensions' values there are, and between what the amounts are that every
   row of each adds to sums, or every person.
   grain: one row per combination
   in: source, attributes, sums, people (whether amounts are of people: then of combinations)
   out: table ranges(q<index> in the source's types, n: rows or people; of every sum o<index>: those
       that add another amount than 0, l<index> and h<index>: the lowest and the highest of these, in
       units of its last digit) #}
{% from 'statistics/macros.sql' import amount %}
CREATE TABLE ranges AS
SELECT
    {{ attributes | each('t.q#,') }}
    {{ sums | each('CAST(COUNT(t.s#) AS BIGINT) AS o#, MIN(t.s#) AS l#, MAX(t.s#) AS h#,') }}
    CAST(COUNT(*) AS BIGINT) AS n
FROM (
    SELECT
{% if people %}
        {{ sums | each('NULLIF(u.s#, 0) AS s#,') }}
        {{ attributes | listed('u.q#') }}
    FROM combinations AS u
{% else %}
    {% for m in sums %}
        NULLIF({{ amount(m, 'u') }}, 0) AS {{ m | sql('s#') }},
    {% endfor %}
        {{ attributes | listed('@(u) AS q#') }}
    FROM {{ source | ident }} AS u
{% endif %}
) AS t
GROUP BY {{ attributes | listed('t.q#') }}
