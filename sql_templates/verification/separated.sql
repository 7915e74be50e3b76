{# What is wrong between the rows of a release and its table of sensitive values, by these two
   alone.
   grain: one row
   in: table (the rows), sensitive (the table of sensitive values), group, value, count (names of
       its columns; the rows have group), least (l)
   out: (rows without a group, sensitive values without a group or with a count below 1, pairs of
       group and value that stand there more than once, groups whose rows are not as many as
       counted, groups with a value in more than 1/l of their rows) #}
WITH pairs AS (
    SELECT
        s.{{ group | ident }} AS grp,
        s.{{ value | ident }} AS value,
        CAST(SUM(s.{{ count | ident }}) AS BIGINT) AS n,
        COUNT(*) AS times
    FROM {{ sensitive | ident }} AS s
    GROUP BY s.{{ group | ident }}, s.{{ value | ident }}
),
both_sides AS (
    SELECT
        r.{{ group | ident }} AS grp,
        COUNT(*) AS size,
        CAST(0 AS BIGINT) AS counted,
        CAST(0 AS BIGINT) AS most
    FROM {{ table | ident }} AS r
    GROUP BY r.{{ group | ident }}
    UNION ALL
    SELECT p.grp, CAST(0 AS BIGINT), CAST(COALESCE(SUM(p.n), 0) AS BIGINT), MAX(p.n)
    FROM pairs AS p
    GROUP BY p.grp
),
joined AS (
    SELECT b.grp, SUM(b.size) AS size, SUM(b.counted) AS counted, MAX(b.most) AS most
    FROM both_sides AS b
    GROUP BY b.grp
)
SELECT
    (
        SELECT COUNT(*)
        FROM {{ table | ident }} AS r
        WHERE r.{{ group | ident }} IS NULL
    ) AS without_group,
    (
        SELECT COUNT(*)
        FROM {{ sensitive | ident }} AS s
        WHERE s.{{ group | ident }} IS NULL
            OR s.{{ count | ident }} IS NULL OR s.{{ count | ident }} < 1
    ) AS no_counts,
    (SELECT COUNT(*) FROM pairs AS p WHERE p.times > 1) AS repeated,
    (SELECT COUNT(*) FROM joined AS j WHERE j.size <> j.counted) AS unlike,
    (SELECT COUNT(*) FROM joined AS j WHERE j.most * {{ least | integer }} > j.size) AS too_often
