{# Classes of fewer than l values.
   grain: one row per such class
   in: see verification/keeping; model
   out: a SELECT of (keys, NULL, 1) #}
SELECT {{ keys | idents('t') }}, NULL, 1
FROM {{ table | ident }} AS t
WHERE t.n > 0
GROUP BY {{ keys | idents('t') }}
HAVING COUNT(DISTINCT t.{{ ('x' ~ model.index) | ident }}) < {{ model.bound | number }}
