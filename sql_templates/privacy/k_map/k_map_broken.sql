{# Classes of fewer than k rows of the population.
   grain: one row per such class
   in: see verification/keeping; model
   out: a SELECT of (keys, NULL, 1) #}
SELECT {{ keys | idents('t') }}, NULL, 1
FROM {{ table | ident }} AS t
GROUP BY {{ keys | idents('t') }}
HAVING {% if not promise.of_everybody %}SUM(t.n) > 0 AND {% endif %}(
    SUM(t.p) < {{ model.bound | number }})
