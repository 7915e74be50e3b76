{# How far the counts of the values of a column are off in a completed table, NULL being a value.
   grain: one row
   in: source (table), a (column), completed (table), b (the same column there), draws (how many it
       has), far (a share of a value's rows)
   out: (values that the source has, those whose count is further off, the sum of the errors over
       values: rows by which the mean count of the draws is off) #}
SELECT
    CAST(COUNT(*) AS BIGINT) AS known,
    CAST(SUM(CASE WHEN f.error > {{ far | literal }} * f.n THEN 1 ELSE 0 END) AS BIGINT) AS wrong,
    CAST(SUM(f.error) AS DOUBLE) AS error
FROM (
    SELECT
        CAST(SUM(u.n) AS DOUBLE) AS n,
        ABS(
            CAST(SUM(u.drawn) AS DOUBLE) / {{ draws | integer }} - CAST(SUM(u.n) AS DOUBLE)
        ) AS error
    FROM (
        SELECT {{ a | value('s') }} AS value, COUNT(*) AS n, 0 AS drawn
        FROM {{ source | ident }} AS s
        GROUP BY {{ a | value('s') }}
        UNION ALL
        SELECT {{ b | value('c') }} AS value, 0 AS n, COUNT(*) AS drawn
        FROM {{ completed | ident }} AS c
        GROUP BY {{ b | value('c') }}
    ) AS u
    GROUP BY u.value
    HAVING SUM(u.n) > 0
) AS f
