{# The buckets of a column that do not keep its t-closeness, by the source: the reference are all
   values of the column.
   grain: one row
   in: source, bucketed, a (coded column), keys (k1), promise
   out: (failing buckets, cells in them) #}
WITH whole AS (
    SELECT
        {{ a | value('o') }} AS q#,
        CAST(COUNT(*) AS BIGINT) AS n
    FROM {{ source | ident }} AS o
    GROUP BY {{ a | value('o') }}
),
reference_# AS (
    {% with whole = 'whole' %}{% include 'verification/reference.sql' %}{% endwith +%}
),
judged AS (
    SELECT b.b# AS k1, COALESCE(w.code, 0) AS x#, CAST(COUNT(*) AS BIGINT) AS n
    FROM bucketed AS b
    LEFT JOIN reference_# AS w ON w.value = b.s#
    WHERE b.b# IS NOT NULL
    GROUP BY b.b#, COALESCE(w.code, 0)
)
SELECT COUNT(*) AS buckets, CAST(COALESCE(SUM(k.n), 0) AS BIGINT) AS failing
FROM (
    {% with table = 'judged' %}{% include 'verification/keeping.sql' %}{% endwith +%}
) AS k
WHERE NOT k.ok
