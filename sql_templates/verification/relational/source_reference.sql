{# A sensitive column's values in the source by the people who have them in any row of its table,
   which those who match are held against. NULL is a value (0), and so is having no row there (-1).
   grain: one row per value, and one of having no row
   in: a (the column), path (the tables of the source from the column's to people: table; key and
       reference, columns; the last has no reference), last (the place of people in it, from 0)
   out: a SELECT of (code, value, n: people who have it, share, many: values that somebody has,
        named: whether the promise is about it) #}
{% macro upwards() %}
FROM {{ path[0].table | ident }} AS s0
{% for each in path[1:] %}
JOIN {{ each.table | ident }} AS s{{ loop.index | integer }}
    ON {{ each.key | value('s' ~ loop.index) }}
        = {{ path[loop.index0].reference | value('s' ~ loop.index0) }}
{% endfor %}
{% endmacro %}
SELECT
    u.code, u.value, u.n,
    CAST(u.n AS DOUBLE) / NULLIF(CAST(SUM(u.n) OVER () AS DOUBLE), 0) AS share,
    CAST(COUNT(CASE WHEN u.n > 0 THEN 1 END) OVER () AS BIGINT) AS many,
    u.named
FROM (
    SELECT
        CASE
            WHEN g.value IS NULL THEN 0
            ELSE CAST(DENSE_RANK() OVER (ORDER BY g.value NULLS FIRST) AS INTEGER)
        END AS code,
        g.value, g.n, TRUE AS named
    FROM (
        SELECT w.value, CAST(COUNT(DISTINCT w.person) AS BIGINT) AS n
        FROM (
            SELECT {{ a | value('s0') }} AS value, {{ path[-1].key | value('s' ~ last) }} AS person
            {{ upwards() }}
        ) AS w
        GROUP BY w.value
    ) AS g
    UNION ALL
    SELECT -1, NULL, CAST(z.people - w.people AS BIGINT), TRUE
    FROM (SELECT COUNT(*) AS people FROM {{ path[-1].table | ident }} AS o) AS z
    CROSS JOIN (
        SELECT COUNT(DISTINCT {{ path[-1].key | value('s' ~ last) }}) AS people
        {{ upwards() }}
    ) AS w
) AS u
