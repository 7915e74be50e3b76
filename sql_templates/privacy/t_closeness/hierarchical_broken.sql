{# Classes that are too far from the whole table by the hierarchical distance (Li et al. 2007,
   section 4.2): what branches have too much leaves them, at every level but the root's, each a step
   of 1 / height.
   grain: one row per such class
   in: table, keys, promise, model, branches_<index>
   out: a SELECT of (keys, NULL, 1) #}
SELECT {{ keys | idents('s') }}, NULL, 1
FROM (
    SELECT {{ keys | idents('a') }}, b.level AS own_level,
        SUM(a.own_n / a.own_rows) - MAX(b.share) AS own_surplus
    FROM (
        {% with index = model.index %}{% include 'verification/amounts.sql' %}{% endwith +%}
    ) AS a
    JOIN {{ ('branches_' ~ model.index) | ident }} AS b ON b.code = a.own_code
    GROUP BY {{ keys | idents('a') }}, b.level, b.branch
) AS s
GROUP BY {{ keys | idents('s') }}
HAVING SUM(CASE WHEN s.own_surplus > 0 THEN s.own_surplus ELSE 0 END)
    / {{ model.height | integer }}
    > {{ (model.bound + promise.slack + promise.tolerance) | number }}
