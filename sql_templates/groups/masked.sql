{# Whether the suppressed rows, masked, would be a class that keeps the promise: all of them together are one.
   grain: one row, none when nothing is suppressed
   in: cells, assigned, attributes, promise
   out: whether it does #}
WITH hidden AS (
    SELECT
        0 AS hidden_class,
    {% for extra in promise.extras %}
        f.{{ extra | ident }},
    {% endfor %}
    {% for weight in promise.weights %}
        CAST(SUM(f.{{ weight | ident }}) AS BIGINT) AS {{ weight | ident }}{% if not loop.last %},{% endif +%}
    {% endfor %}
    FROM cells AS f
    LEFT JOIN assigned AS p
        ON {% for a in attributes %}p.c{{ a.index | integer }} = f.c{{ a.index | integer }}{% if not loop.last %} AND {% endif %}{% endfor +%}
    WHERE p.grp IS NULL
    {% if promise.extras %}
    GROUP BY {{ promise.extras | idents('f') }}
    {% endif %}
)
SELECT m.ok
FROM (
    {% with table = 'hidden', keys = ['hidden_class'] %}
    {% include 'models/classes.sql' %}
    {% endwith %}
) AS m
