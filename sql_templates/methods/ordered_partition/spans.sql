{# Which intervals of one ordered domain keep the promise.
   grain: one row per interval asked for
   in: spans(start, stop: positions), positions, cells, a (attribute), keys (start, stop, lost),
       promise
   out: (start, stop, lost: billionths of a row, n, ok) #}
WITH held AS (
    SELECT
        s.start, s.stop,
        COALESCE(e.at - b.at, 0) AS lost
        {{ promise.extras | each(', t.@') }}
        {{ promise.weights | each(', CAST(SUM(t.@) AS BIGINT) AS @') }}
    FROM spans AS s
    JOIN (
        SELECT p.position, MIN(p.at) AS at
        FROM positions AS p
        WHERE p.attribute = #
        GROUP BY p.position
    ) AS b ON b.position = s.start
    JOIN (
        SELECT p.position, MAX(p.at) AS at
        FROM positions AS p
        WHERE p.attribute = #
        GROUP BY p.position
    ) AS e ON e.position = s.stop
    JOIN (
        SELECT
            p.position
            {{ promise.extras | each(', c.@') }}
            {{ promise.weights | each(', SUM(c.@) AS @') }}
        FROM cells AS c
        JOIN positions AS p ON p.attribute = # AND p.code = c.c#
        GROUP BY
            p.position
            {{ promise.extras | each(', c.@') }}
    ) AS t ON t.position BETWEEN s.start AND s.stop
    GROUP BY
        s.start, s.stop,
        COALESCE(e.at - b.at, 0)
        {{ promise.extras | each(', t.@') }}
)
SELECT x.start, x.stop, x.lost, x.n, x.ok
FROM (
    {% with table = 'held' %}{% include 'privacy/classes.sql' %}{% endwith +%}
) AS x
ORDER BY x.start, x.stop
