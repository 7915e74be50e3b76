{# Classes of fewer than l values. NULL is a value.
   grain: one row per such class
   in: see verification/plain_sql/by_shares
   out: (keys, values_in_class) #}
SELECT
    {{ keys | idents('v') }},
    COUNT(*) AS {{ ('values_in_class' ~ mark) | ident }}
FROM (
    SELECT {{ keys | idents('t') }}, t.{{ column | ident }}
    FROM {{ table | ident }} AS t
    GROUP BY {{ keys | idents('t') }}, t.{{ column | ident }}
) AS v
GROUP BY {{ keys | idents('v') }}
HAVING COUNT(*) < {{ model.bound | number }}
