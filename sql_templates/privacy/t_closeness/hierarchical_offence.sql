{# Classes that are too far from the whole table by the hierarchical distance (Li et al. 2007,
   section 4.2): what branches have too much leaves them, at every level but the root's, each a step
   of 1 / height.
   grain: one row per such class
   in: see verification/offence, and branches_<index>: only coded values lie in branches, so that
       there is no mark
   out: (keys, rows_in_class) #}
SELECT
    {{ keys | idents('d') }},
    CAST(SUM(d.rows_in_branch) / {{ model.height | integer }} AS BIGINT) AS rows_in_class
FROM (
    SELECT
        {{ keys | idents('s') }},
        SUM(s.rows_with_value) AS rows_in_branch,
        SUM(s.share) - MAX(b.share) AS surplus
    FROM (
        {% include values ~ '.sql' +%}
    ) AS s
    JOIN {{ ('branches_' ~ model.index) | ident }} AS b ON b.code = s.code
    GROUP BY {{ keys | idents('s') }}, b.level, b.branch
) AS d
GROUP BY {{ keys | idents('d') }}
HAVING SUM(CASE WHEN d.surplus > 0 THEN d.surplus ELSE 0 END) / {{ model.height | integer }}
    > {{ (model.bound + promise.slack + promise.tolerance) | number }}
