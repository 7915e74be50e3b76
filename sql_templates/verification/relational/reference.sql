{# A sensitive column's values by the people who have them in any released row of the table, which
   those who match are held against. NULL is a value (0), and so is having no row there (-1).
   grain: one row per value, and one of having no row
   in: a (the column), table (the released one), key, number, verified_1, verified_<number>, unsure
       (how many people without a row may have had one that was suppressed)
   out: a SELECT of (code, value, n: people that certainly have it, share, many: values that
        somebody certainly has, named: whether the promise is about it) #}
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
        g.value,
        g.n,
        {% if a.named %}
        COALESCE({{ a | text('g', 'value') }} IN ({{ a.named | literals }}), FALSE) AS named
        {% else %}
        TRUE AS named
        {% endif %}
    FROM (
        SELECT w.value, CAST(COUNT(DISTINCT w.person) AS BIGINT) AS n
        FROM (
            SELECT v.person, {{ a | value('t') }} AS value
            FROM {{ table | ident }} AS t
            JOIN {{ ('verified_' ~ number) | ident }} AS v ON v.id = t.{{ key | ident }}
        ) AS w
        GROUP BY w.value
    ) AS g
    UNION ALL
    SELECT
        -1,
        NULL,
        CAST(GREATEST(COUNT(*) - {{ unsure | integer }}, 0) AS BIGINT),
        {% if a.named %}FALSE{% else %}TRUE{% endif +%}
    FROM verified_1 AS o
    WHERE NOT EXISTS (
        SELECT 1 FROM {{ ('verified_' ~ number) | ident }} AS w WHERE w.person = o.id
    )
) AS u
