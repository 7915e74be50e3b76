{# grain: one row per attribute and level
   in: attributes, cells, steps
   out: (attribute, level, the mean over all rows of the loss at that level, the greatest code of
       the attribute, the chance that two rows have the same code at the least level, the number of
       cells) #}
SELECT
    v.attribute, s.level,
    COALESCE(SUM(v.n * s.loss) / NULLIF(SUM(v.n), 0), 0) AS loss,
    MAX(v.code) AS code,
    COALESCE(SUM(CAST(v.n AS DOUBLE) * v.n) / NULLIF(SUM(v.n), 0) / NULLIF(SUM(v.n), 0), 0)
        AS chance,
    CAST(SUM(v.cells) AS BIGINT) AS cells
FROM (
{% for a in attributes %}
    SELECT # AS attribute, t.c# AS code, CAST(SUM(t.n) AS BIGINT) AS n, COUNT(*) AS cells
    FROM cells AS t
    GROUP BY t.c#
    {% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
) AS v
JOIN steps AS s ON s.attribute = v.attribute AND s.code = v.code
GROUP BY v.attribute, s.level
ORDER BY v.attribute, s.level
