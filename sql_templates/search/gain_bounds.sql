{# What is left at most of an entry, and of all entries of a column if all rows were released.
   grain: one row per attribute and level
   in: cells, steps, gains [(attribute, most: what an entry as it is keeps)]
   out: (attribute, level, most of an entry, all entries together) #}
{% from 'search/macros.sql' import gain %}
{% for a, most in gains %}
SELECT
    # AS attribute,
    s.level,
    MAX({{ gain(a, most) }}) AS most,
    CAST(SUM(v.p * {{ gain(a, most) }}) AS BIGINT) AS total
FROM (SELECT t.c# AS code, SUM(t.p) AS p FROM cells AS t GROUP BY t.c#) AS v
JOIN steps AS s ON s.attribute = # AND s.code = v.code
GROUP BY s.level
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
