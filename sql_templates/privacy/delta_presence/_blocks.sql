-- name: presence_kept
{# Rows of the table are no greater and no smaller a share of those of the population.
   in: model, promise; see privacy/counts for what it is over
   out: a condition #}
CAST(SUM(f.n) AS BIGINT) BETWEEN {{ model.other | number }} * CAST(SUM(f.p) AS BIGINT)
    AND {{ model.bound | number }} * CAST(SUM(f.p) AS BIGINT)

-- name: presence_offence
{# Classes whose rows are too great or too small a share of those of the population.
   grain: one row per such class
   in: table (keys, n, p), keys, promise, model
   out: (keys, rows_in_class) #}
SELECT {{ keys | idents('t') }}, CAST(SUM(t.n) AS BIGINT) AS rows_in_class
FROM {{ table | ident }} AS t
GROUP BY {{ keys | idents('t') }}
HAVING {% if not promise.of_everybody %}SUM(t.n) > 0 AND {% endif %}(
    CAST(SUM(t.n) AS BIGINT) > {{ model.bound | number }} * CAST(SUM(t.p) AS BIGINT)
    OR CAST(SUM(t.n) AS BIGINT) < {{ model.other | number }} * CAST(SUM(t.p) AS BIGINT))
