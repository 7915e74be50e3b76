{# Which combinations of the dimensions' values there are, and what amounts each adds to sums.
   grain: one row per combination
   in: source, attributes, sums
   out: table spread(q<index> in the source's types; of every sum o<index>: rows that add another
       amount than 0, l<index> and h<index>: the lowest and the highest of these, in units of its
       last digit; n: rows) #}
{% from 'statistics/macros.sql' import amount %}
CREATE TABLE spread AS
SELECT
    {{ attributes | each('t.q#,') }}
    {{ sums | each('CAST(COUNT(t.s#) AS BIGINT) AS o#, MIN(t.s#) AS l#, MAX(t.s#) AS h#,') }}
    CAST(COUNT(*) AS BIGINT) AS n
FROM (
    SELECT
    {% for m in sums %}
        NULLIF({{ amount(m, 'u') }}, 0) AS {{ m | sql('s#') }},
    {% endfor %}
        {{ attributes | listed('@(u) AS q#') }}
    FROM {{ source | ident }} AS u
) AS t
GROUP BY {{ attributes | listed('t.q#') }}
