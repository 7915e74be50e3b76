{# t-closeness by the ordered distance: the mean over the m values but the last of |cumulative share
   in the class - in the table| (Li et al. 2007, section 4.1). Up to promise.missing values of the
   table are not to be seen.
   grain: one row per combination of the keys that has rows of the table
   in: see privacy/classes; model, values_<index> with places
   out: a SELECT of (keys, n: none, ok) #}
SELECT
    {{ keys | idents('o') }},
    CAST(NULL AS BIGINT) AS n,
    SUM(ABS(o.own_reached / o.own_total - o.own_below))
        <= {{ (model.bound + promise.slack) | number }}
            * (MAX(o.own_m) - 1 + {{ promise.missing | integer }})
            + {{ promise.tolerance | number }} AS ok
FROM (
    SELECT
        {{ keys | idents('a') }},
        v.below AS own_below,
        v.m AS own_m,
        CAST(SUM(a.n) OVER (PARTITION BY {{ keys | idents('a') }}
            ORDER BY v.place NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING
            AND CURRENT ROW) AS DOUBLE) AS own_reached,
        CAST(SUM(a.n) OVER (PARTITION BY {{ keys | idents('a') }}) AS DOUBLE) AS own_total
    FROM (
        SELECT {{ keys | idents('e') }}, e.own_code, SUM(e.n) AS n
        FROM (
            SELECT {{ keys | idents('f') }}, f.{{ ('x' ~ model.index) | ident }} AS own_code, f.n
            FROM {{ table | ident }} AS f
            WHERE f.n > 0
            UNION ALL
            SELECT {{ keys | idents('c') }}, w.code AS own_code, 0
            FROM (SELECT DISTINCT {{ keys | idents('g') }} FROM {{ table | ident }} AS g
                WHERE g.n > 0) AS c
            CROSS JOIN {{ ('values_' ~ model.index) | ident }} AS w
        ) AS e
        GROUP BY {{ keys | idents('e') }}, e.own_code
    ) AS a
    JOIN {{ ('values_' ~ model.index) | ident }} AS v ON v.code = a.own_code
) AS o
GROUP BY {{ keys | idents('o') }}
