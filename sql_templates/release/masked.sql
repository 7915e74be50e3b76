{# Whether the suppressed rows, masked, would be a class that keeps the promise: all of them
   together are one, and so is the population that no released class holds.
   grain: one row, none when nothing is suppressed
   in: frequencies (c1 …, promise.extras, promise.weights), classes (c1 …, n, ok), attributes,
       promise
   out: whether it does #}
WITH hidden AS (
    SELECT
        0 AS hidden_class,
        {{ promise.extras | each('f.@,') }}
        {{ promise.weights | listed('SUM(f.@) AS @') }}
    FROM {{ frequencies | ident }} AS f
    LEFT JOIN {{ classes | ident }} AS x
        ON x.ok
        {{ attributes | each('AND x.c# = f.c#') }}
    WHERE x.n IS NULL
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
