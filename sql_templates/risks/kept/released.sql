{# How many rows of a release are alone with their values in the columns that are released as they
   are, and how many with these and their quasi-identifying ones, NULL being a value like another.
   grain: one row
   in: table, kept, labels (the columns, as star/value takes them), k
   out: (rows; rows in groups of size 1, and of a size below k, by the kept columns; the same by all
       columns) #}
SELECT
    CAST(COALESCE(SUM(g.n), 0) AS BIGINT) AS total,
    CAST(COALESCE(SUM(g.n) FILTER (WHERE g.n = 1), 0) AS BIGINT) AS alone,
    CAST(COALESCE(SUM(g.n) FILTER (WHERE g.n < {{ k | integer }}), 0) AS BIGINT) AS below,
    CAST(COALESCE(SUM(g.alone), 0) AS BIGINT) AS alone_by_all,
    CAST(COALESCE(SUM(g.below), 0) AS BIGINT) AS below_by_all
FROM (
    SELECT
        SUM(w.n) AS n,
        SUM(w.n) FILTER (WHERE w.n = 1) AS alone,
        SUM(w.n) FILTER (WHERE w.n < {{ k | integer }}) AS below
    FROM (
        SELECT {{ kept | each('@(s) AS v$,') }} COUNT(*) AS n
        FROM {{ table | ident }} AS s
        GROUP BY {{ (kept + labels) | listed('@(s)') }}
    ) AS w
    GROUP BY {{ kept | listed('w.v$') }}
) AS g
