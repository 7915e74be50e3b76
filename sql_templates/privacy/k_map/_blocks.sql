-- name: k_map_kept
{# At least k rows of the population.
   in: model, promise; see privacy/counts for what it is over
   out: a condition #}
SUM(f.p) >= {{ model.bound | number }}

-- name: k_map_offence
{# Classes of fewer than k rows of the population.
   grain: one row per such class
   in: table (keys, n, p), keys, promise, model
   out: (keys, rows_in_class) #}
SELECT {{ keys | idents('t') }}, CAST(SUM(t.n) AS BIGINT) AS rows_in_class
FROM {{ table | ident }} AS t
GROUP BY {{ keys | idents('t') }}
HAVING {% if not promise.of_everybody %}SUM(t.n) > 0 AND {% endif %}(
    SUM(t.p) < {{ model.bound | number }})
