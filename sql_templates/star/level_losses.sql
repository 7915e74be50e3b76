{# grain: one row per attribute and level
   in: cells, steps
   out: (attribute, level, the mean over all rows of the loss at that level) #}
SELECT v.attribute, s.level, SUM(v.n * s.loss) / SUM(v.n) AS loss
FROM (
{% for a in attributes %}
    SELECT {{ a.index | integer }} AS attribute, t.c{{ a.index | integer }} AS code, CAST(SUM(t.n) AS BIGINT) AS n
    FROM cells AS t
    GROUP BY t.c{{ a.index | integer }}
    {% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
) AS v
JOIN steps AS s ON s.attribute = v.attribute AND s.code = v.code
GROUP BY v.attribute, s.level
ORDER BY v.attribute, s.level
