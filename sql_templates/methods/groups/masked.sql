{# Whether the suppressed rows, masked, would be a class that keeps the promise: all of them
   together are one.
   grain: one row, none when nothing is suppressed
   in: cells, assigned, attributes, promise
   out: whether it does #}
WITH hidden AS (
    SELECT
        0 AS hidden_class,
        {{ promise.extras | each('f.@,') }}
        {{ promise.weights | listed('CAST(SUM(f.@) AS BIGINT) AS @') }}
    FROM cells AS f
    LEFT JOIN assigned AS p
        ON {{ attributes | each('p.c# = f.c#', ' AND ') }}
    WHERE p.grp IS NULL
    {% if promise.extras %}
    GROUP BY {{ promise.extras | idents('f') }}
    {% endif %}
)
SELECT m.ok
FROM (
    {% with table = 'hidden', keys = ['hidden_class'] %}
    {% include 'star/models/classes.sql' %}
    {% endwith %}
) AS m
