{# What each level of a table's columns loses.
   grain: one row per attribute and level
   in: cells (see relational/cells), attributes, steps
   out: (attribute, level, the mean over all rows of the loss at that level) #}
SELECT v.attribute, s.level, CAST(SUM(v.n * s.loss) / SUM(v.n) AS DOUBLE) AS loss
FROM (
{% for a in attributes %}
    SELECT # AS attribute, t.c# AS code, CAST(SUM(t.n) AS BIGINT) AS n
    FROM {{ cells | ident }} AS t
    GROUP BY t.c#
    {% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
) AS v
JOIN steps AS s ON s.attribute = v.attribute AND s.code = v.code
GROUP BY v.attribute, s.level
ORDER BY v.attribute NULLS LAST, s.level NULLS LAST
