{# What is wrong between the rows of a release and the table of one column's buckets, by these two
   alone.
   grain: one row
   in: table (the rows), sensitive (the table of buckets), bucket (the name of its number in both),
       value, count (names of its other columns), label (the column of the rows that is NULL where
       the cell is withheld, or none), everywhere (whether every row has a bucket), least (rows of a
       bucket), once (whether no value may be in it twice)
   out: (rows of a bucket that the table lacks, rows that lack one although all must have one, or
       that have a label besides, rows of the table without a bucket or with a count below 1, pairs
       of bucket and value that stand there more than once, buckets that have not as many rows as
       counted, buckets with fewer, with a value more than once where it must not be) #}
WITH pairs AS (
    SELECT s.own_bucket, s.own_value, CAST(SUM(s.own_count) AS BIGINT) AS n, COUNT(*) AS times
    FROM (
        SELECT
            s.{{ bucket | ident }} AS own_bucket,
            s.{{ value | ident }} AS own_value,
            s.{{ count | ident }} AS own_count
        FROM {{ sensitive | ident }} AS s
    ) AS s
    GROUP BY s.own_bucket, s.own_value
),
both_sides AS (
    SELECT
        r.{{ bucket | ident }} AS own_bucket,
        COUNT(*) AS size,
        CAST(0 AS BIGINT) AS counted,
        CAST(0 AS BIGINT) AS most,
        0 AS told
    FROM {{ table | ident }} AS r
    WHERE r.{{ bucket | ident }} IS NOT NULL
    GROUP BY r.{{ bucket | ident }}
    UNION ALL
    SELECT p.own_bucket, CAST(0 AS BIGINT), CAST(COALESCE(SUM(p.n), 0) AS BIGINT), MAX(p.n), 1
    FROM pairs AS p
    WHERE p.own_bucket IS NOT NULL
    GROUP BY p.own_bucket
),
joined AS (
    SELECT
        b.own_bucket,
        SUM(b.size) AS size,
        SUM(b.counted) AS counted,
        MAX(b.most) AS most,
        MAX(b.told) AS told
    FROM both_sides AS b
    GROUP BY b.own_bucket
)
SELECT
    (SELECT CAST(COALESCE(SUM(j.size), 0) AS BIGINT) FROM joined AS j WHERE j.told = 0) AS unknown,
    (
        SELECT COUNT(*)
        FROM {{ table | ident }} AS r
        WHERE {% if everywhere %}r.{{ bucket | ident }} IS NULL{% else %}FALSE{% endif +%}
        {% if label is not none %}
            OR (r.{{ bucket | ident }} IS NOT NULL AND r.{{ label | ident }} IS NOT NULL)
        {% endif %}
    ) AS misplaced,
    (
        SELECT COUNT(*)
        FROM {{ sensitive | ident }} AS s
        WHERE s.{{ bucket | ident }} IS NULL
            OR s.{{ count | ident }} IS NULL OR s.{{ count | ident }} < 1
    ) AS no_counts,
    (SELECT COUNT(*) FROM pairs AS p WHERE p.times > 1) AS repeated,
    (SELECT COUNT(*) FROM joined AS j WHERE j.told = 1 AND j.size <> j.counted) AS unequal,
    (
        SELECT COUNT(*) FROM joined AS j WHERE j.told = 1 AND j.counted < {{ least | integer }}
    ) AS small,
    {% if once %}
    (SELECT COUNT(*) FROM joined AS j WHERE j.most > 1) AS too_often
    {% else %}
    0 AS too_often
    {% endif %}
