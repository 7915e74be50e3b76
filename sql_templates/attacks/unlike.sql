{# How many released rows another release does not have as often, or has more often.
   grain: one row
   in: one, other (releases), columns
   out: (rows) #}
SELECT CAST(COALESCE(SUM(ABS(d.n)), 0) AS BIGINT) AS n
FROM (
    SELECT SUM(u.n) AS n
    FROM (
        SELECT {{ columns | idents('r') }}, 1 AS n FROM {{ one | ident }} AS r
        UNION ALL
        SELECT {{ columns | idents('r') }}, -1 AS n FROM {{ other | ident }} AS r
    ) AS u
    GROUP BY {{ columns | idents('u') }}
) AS d
