{# How far the withheld values of a column lie apart, told by places alone: values are numbered from
   0 in their order.
   grain: one row per withheld value, in the order of methods/local/buckets/counts
   in: a (coded column), model and bound (how far values must lie apart), values_<index> with x and
       width of all values, withheld_<index>
   out: (known: whether the value is a number, beyond: how many withheld values lie less far above
       it than they must, or below) #}
WITH withheld AS (
    SELECT v.code, v.x, v.width
    FROM withheld_# AS o
    LEFT JOIN values_# AS u ON u.value = o.q#
    JOIN values_# AS v ON v.code = COALESCE(u.code, 0)
),
reached AS (
    SELECT w.code, 0 AS held,
        w.x + {{ bound | number }}{% if model.kind == 'range' %} * w.width{% endif %} AS at
    FROM withheld AS w
    WHERE w.x IS NOT NULL
    UNION ALL
    SELECT -1, 1, w.x
    FROM withheld AS w
    WHERE w.x IS NOT NULL
),
counted AS (
    SELECT r.code, r.held,
        SUM(r.held) OVER (ORDER BY r.at NULLS FIRST,
        r.held NULLS FIRST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS nearer
    FROM reached AS r
)
SELECT
    CASE WHEN w.x IS NULL THEN 0 ELSE 1 END AS known,
    CAST(COALESCE(c.nearer, 0) + b.before AS BIGINT) AS beyond
FROM withheld AS w
LEFT JOIN counted AS c ON c.code = w.code AND c.held = 0
CROSS JOIN (
    SELECT COUNT(*) AS before
    FROM withheld AS n
    WHERE n.x IS NULL AND n.code < (SELECT MIN(k.code) FROM withheld AS k WHERE k.x IS NOT NULL)
) AS b
ORDER BY w.code
