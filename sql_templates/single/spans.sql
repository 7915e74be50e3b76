{# Which intervals of one ordered domain keep the promise.
   grain: one row per interval asked for
   in: spans(start, stop: positions), positions, cells, a (attribute), keys (start, stop, lost), promise
   out: (start, stop, lost: billionths of a row, n, ok) #}
WITH held AS (
    SELECT
        s.start,
        s.stop,
        COALESCE(e.at - b.at, 0) AS lost
    {% for extra in promise.extras %}
        , t.{{ extra | ident }}
    {% endfor %}
    {% for weight in promise.weights %}
        , CAST(SUM(t.{{ weight | ident }}) AS BIGINT) AS {{ weight | ident }}
    {% endfor %}
    FROM spans AS s
    JOIN (
        SELECT p.position, MIN(p.at) AS at FROM positions AS p WHERE p.attribute = {{ a.index | integer }} GROUP BY p.position
    ) AS b ON b.position = s.start
    JOIN (
        SELECT p.position, MAX(p.at) AS at FROM positions AS p WHERE p.attribute = {{ a.index | integer }} GROUP BY p.position
    ) AS e ON e.position = s.stop
    JOIN (
        SELECT
            p.position
        {% for extra in promise.extras %}
            , c.{{ extra | ident }}
        {% endfor %}
        {% for weight in promise.weights %}
            , SUM(c.{{ weight | ident }}) AS {{ weight | ident }}
        {% endfor %}
        FROM cells AS c
        JOIN positions AS p ON p.attribute = {{ a.index | integer }} AND p.code = c.c{{ a.index | integer }}
        GROUP BY
            p.position
        {% for extra in promise.extras %}
            , c.{{ extra | ident }}
        {% endfor %}
    ) AS t ON t.position BETWEEN s.start AND s.stop
    GROUP BY
        s.start,
        s.stop,
        COALESCE(e.at - b.at, 0)
    {% for extra in promise.extras %}
        , t.{{ extra | ident }}
    {% endfor %}
)
SELECT x.start, x.stop, x.lost, x.n, x.ok
FROM (
    {% with table = 'held' %}{% include 'models/classes.sql' %}{% endwith +%}
) AS x
ORDER BY x.start, x.stop
