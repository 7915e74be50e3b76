{# Global certainty penalty of a full-domain release: leaves counted are those the data has.
   grain: one row per attribute
   in: attributes, classes (c1 …, n, ok), dim_<index>, levels {index: level}
   out: (attribute, sum over released rows of (values under the released one - 1) / (values of the
       column - 1)) #}
{% for a in attributes %}
{% set level = levels[a.index] %}
SELECT # AS attribute,
    CAST(COALESCE(SUM(x.n * p.penalty), 0) AS DOUBLE) AS penalty
FROM {{ classes | ident }} AS x
JOIN (
    SELECT u.up,
        CAST(COALESCE(CAST(COUNT(*) - 1 AS DOUBLE) / NULLIF(MAX(u.total) - 1, 0), 0) AS DOUBLE)
            AS penalty
    FROM (
        SELECT d.g{{ level | integer }} AS up, COUNT(*) OVER () AS total
        FROM dim_# AS d
        WHERE d.value IS NOT NULL{% if a.nulls %} OR d.code = 0{% endif +%}
    ) AS u
    GROUP BY u.up
) AS p ON p.up = x.c#
WHERE x.ok
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
