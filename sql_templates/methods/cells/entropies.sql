{# How much every level tells of a row.
   grain: one row per attribute and level
   in: cells, steps, attributes
   out: (attribute, level, entropy of the values at that level in nats) #}
SELECT u.attribute, u.level,
    LN(CAST(SUM(u.n) AS DOUBLE)) - SUM(u.n * LN(CAST(u.n AS DOUBLE))) / SUM(u.n) AS entropy
FROM (
    SELECT v.attribute, s.level, s.up, CAST(SUM(v.n) AS BIGINT) AS n
    FROM (
    {% for a in attributes %}
        SELECT # AS attribute, t.c# AS code, SUM(t.n) AS n
        FROM cells AS t
        GROUP BY t.c#
        {% if not loop.last %}UNION ALL{% endif +%}
    {% endfor %}
    ) AS v
    JOIN steps AS s ON s.attribute = v.attribute AND s.code = v.code
    GROUP BY v.attribute, s.level, s.up
) AS u
GROUP BY u.attribute, u.level
ORDER BY u.attribute, u.level
