-- name: small_classes
{# Offenders: classes of the release that are smaller than k.
   grain: one row per such class
   in: released table, labels (quasi-identifying columns) and bounds of them, k
   out: (labels, bounds, rows) #}
SELECT {{ labels | idents('r') }}, COUNT(*) AS class_size
FROM {{ table | ident }} AS r
GROUP BY {{ labels | idents('r') }}
HAVING COUNT(*) < {{ k | integer }}

-- name: too_many_suppressed
{# Offenders: suppressed rows, when they are more than the policy allows.
   grain: no row when all is well, else one
   in: cells, k, limit (a share of all rows)
   out: (suppressed rows, all rows) #}
SELECT t.suppressed, t.total
FROM (
    SELECT SUM(CASE WHEN c.n < {{ k | integer }} THEN c.n ELSE 0 END) AS suppressed,
        SUM(c.n) AS total FROM cells AS c
) AS t
WHERE t.suppressed > t.total * {{ limit | number }}
