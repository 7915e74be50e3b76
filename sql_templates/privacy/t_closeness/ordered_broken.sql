{# Classes that are too far from the whole table by the ordered distance (Li et al. 2007, section
   4.1): what has to be carried past each value but the last, over their number. Up to
   promise.missing values of the whole table are not to be seen.
   grain: one row per such class
   in: table, keys, promise, model, reference_<index> with places
   out: a SELECT of (keys, NULL, 1) #}
SELECT {{ keys | idents('s') }}, NULL, 1
FROM (
    SELECT
        {{ keys | idents('m') }},
        m.own_many,
        SUM(m.own_surplus) OVER (PARTITION BY {{ keys | idents('m') }}
            ORDER BY m.own_place NULLS FIRST ROWS BETWEEN UNBOUNDED PRECEDING
            AND CURRENT ROW) AS own_carried
    FROM (
        SELECT {{ keys | idents('e') }}, e.own_place, MAX(e.own_many) AS own_many,
            SUM(e.own_share) AS own_surplus
        FROM (
            SELECT {{ keys | idents('a') }}, r.place AS own_place, r.many AS own_many,
                a.own_n / a.own_rows AS own_share
            FROM (
                {% with index = model.index %}{% include 'verification/amounts.sql' %}{% endwith +%}
            ) AS a
            JOIN {{ ('reference_' ~ model.index) | ident }} AS r ON r.code = a.own_code
            UNION ALL
            SELECT {{ keys | idents('c') }}, w.place, w.many, -w.share
            FROM (
                SELECT DISTINCT {{ keys | idents('t') }}
                FROM {{ table | ident }} AS t
                WHERE t.n > 0
            ) AS c
            CROSS JOIN {{ ('reference_' ~ model.index) | ident }} AS w
        ) AS e
        GROUP BY {{ keys | idents('e') }}, e.own_place
    ) AS m
) AS s
GROUP BY {{ keys | idents('s') }}
HAVING SUM(ABS(s.own_carried)) > {{ (model.bound + promise.slack) | number }}
    * (MAX(s.own_many) - 1 + {{ promise.missing | integer }})
    + {{ promise.tolerance | number }}
