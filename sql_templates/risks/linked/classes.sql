{# How far surrogates tell people apart: those that link rows to what few others have. Two of them
   have the same rows when they have as many rows in each class.
   grain: one row
   in: table, surrogate (its column), classes (the columns whose values define the classes), k
   out: (surrogates, rows that have one, surrogates with rows that fewer than k have) #}
SELECT
    COUNT(*) AS surrogates,
    CAST(COALESCE(SUM(a.n), 0) AS BIGINT) AS total,
    COUNT(CASE WHEN a.alike < {{ k | integer }} THEN 1 END) AS few
FROM (
    SELECT
        o.n,
        COUNT(*) OVER (PARTITION BY o.n, o.weight0, o.weight1) AS alike
    FROM (
        SELECT
            c.own,
            COUNT(*) AS n
            {% for part in range(2) %}
            , SUM(CAST(
                TRANSLATE(SUBSTR(c.digest, {{ (part * 9 + 1) | integer }}, 9), 'abcdef', '135792')
                AS BIGINT)) AS weight{{ part | integer }}
            {% endfor %}
        FROM (
            SELECT
                r.{{ surrogate | ident }} AS own,
                MD5(CAST(DENSE_RANK() OVER (
                    ORDER BY {{ classes | listed('r.@ NULLS FIRST') }}
                ) AS VARCHAR)) AS digest
            FROM {{ table | ident }} AS r
        ) AS c
        WHERE c.own IS NOT NULL
        GROUP BY c.own
    ) AS o
) AS a
