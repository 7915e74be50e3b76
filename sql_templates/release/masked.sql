{# Whether the suppressed rows, masked, would be a class that keeps the promise: all of them
   together are one, and so is the population that no released class holds.
   grain: one row, none when nothing is suppressed
   in: frequencies (c1 …, promise.extras, promise.weights), kept (a relation: c1 … of what is not
       suppressed), judged (whether it has the suppressed, too, and ok), attributes, promise
   out: whether it does #}
WITH hidden AS (
    SELECT
        0 AS hidden_class,
        {{ promise.extras | each('f.@,') }}
        {{ promise.weights | listed('CAST(SUM(f.@) AS BIGINT) AS @') }}
    FROM {{ frequencies | ident }} AS f
    LEFT JOIN {{ kept | ident }} AS x
        ON {{ attributes | each('x.c# = f.c#', ' AND ') }}{% if judged %} AND x.ok{% endif +%}
    WHERE x.c{{ attributes[0].index | integer }} IS NULL
    {% if promise.extras %}
    GROUP BY {{ promise.extras | idents('f') }}
    {% endif %}
)
SELECT m.ok
FROM (
    {% with table = 'hidden', keys = ['hidden_class'] %}
    {% include 'privacy/classes.sql' %}
    {% endwith %}
) AS m
