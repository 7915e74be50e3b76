{# How far a class of one value alone is from the whole table by the ordered distance.
   grain: one row per value
   in: a (coded column), values_<index> with places
   out: a SELECT of (code, share, distance: NULL where there is one value alone) #}
SELECT
    v.code,
    v.share,
    (
        COALESCE(SUM(v.below) OVER (ORDER BY v.place NULLS FIRST
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)
        + SUM(1 - v.below) OVER (ORDER BY v.place NULLS FIRST ROWS BETWEEN CURRENT ROW
            AND UNBOUNDED FOLLOWING)
    ) / NULLIF(v.m - 1, 0) AS distance
FROM {{ ('values_' ~ a.index) | ident }} AS v
