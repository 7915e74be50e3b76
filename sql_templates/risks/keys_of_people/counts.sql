{# How often the values of columns repeat.
   grain: one row per column, in order
   in: table, columns (as star/value takes them)
   out: (position, rows, rows with a value, different values, rows of the commonest value, and of
       that or of NULL) #}
{% for column in columns %}
SELECT
    {{ loop.index | integer }} AS position,
    CAST(COALESCE(SUM(g.n), 0) AS BIGINT) AS total,
    CAST(COALESCE(SUM(CASE WHEN g.v IS NOT NULL THEN g.n END), 0) AS BIGINT) AS filled,
    COUNT(g.v) AS different,
    CAST(COALESCE(MAX(CASE WHEN g.v IS NOT NULL THEN g.n END), 0) AS BIGINT) AS most,
    CAST(COALESCE(MAX(g.n), 0) AS BIGINT) AS commonest
FROM (
    SELECT {{ column | value('s') }} AS v, COUNT(*) AS n
    FROM {{ table | ident }} AS s
    GROUP BY {{ column | value('s') }}
) AS g
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
ORDER BY position
