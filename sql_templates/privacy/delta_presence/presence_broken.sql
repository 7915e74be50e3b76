{# Classes whose rows are too great or too small a share of those of the population.
   grain: one row per such class
   in: see verification/keeping; model
   out: a SELECT of (keys, NULL, 1) #}
SELECT {{ keys | idents('t') }}, NULL, 1
FROM {{ table | ident }} AS t
GROUP BY {{ keys | idents('t') }}
HAVING {% if not promise.of_everybody %}SUM(t.n) > 0 AND {% endif %}(
    CAST(SUM(t.n) AS BIGINT) > {{ model.bound | number }} * CAST(SUM(t.p) AS BIGINT)
    OR CAST(SUM(t.n) AS BIGINT) < {{ model.other | number }} * CAST(SUM(t.p) AS BIGINT))
