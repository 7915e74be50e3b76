{# The values of a sensitive column by the people who have them in any row of the table; whoever has
   no row there has a value of its own, none, with the code -1.
   grain: one row per value, and one of none even where everybody has a row
   in: table (its number), a (the column), rows_<number>, rows_1, values_<index>: of the source, by
       rows
   out: a SELECT of (code, n: people, share of all pairs of a person and a value, m: number of
        values that somebody has, named: whether alpha_k is about it) #}
SELECT
    u.code,
    u.n,
    CAST(u.n AS DOUBLE) / NULLIF(CAST(SUM(u.n) OVER () AS DOUBLE), 0) AS share,
    CAST(SUM(CASE WHEN u.n > 0 THEN 1 ELSE 0 END) OVER () AS BIGINT) AS m,
    u.named
FROM (
    SELECT p.code, CAST(COUNT(*) AS BIGINT) AS n, w.named
    FROM (
        SELECT DISTINCT r.person, r.{{ ('x' ~ a.index) | ident }} AS code
        FROM {{ ('rows_' ~ table.number) | ident }} AS r
    ) AS p
    JOIN {{ ('values_' ~ a.index) | ident }} AS w ON w.code = p.code
    GROUP BY p.code, w.named
    UNION ALL
    SELECT
        -1,
        CAST(COUNT(CASE WHEN r.person IS NULL THEN 1 END) AS BIGINT),
        {% if a.named %}FALSE{% else %}TRUE{% endif +%}
    FROM rows_1 AS o
    LEFT JOIN (
        SELECT DISTINCT t.person FROM {{ ('rows_' ~ table.number) | ident }} AS t
    ) AS r ON r.person = o.id
) AS u
