{# How far a class of one value alone is from the whole table by the equal distance.
   grain: one row per value
   in: a (coded column), values_<index>
   out: a SELECT of (code, share, distance: NULL where there is one value alone) #}
SELECT v.code, v.share, CASE WHEN v.m > 1 THEN 1 - v.share END AS distance
FROM {{ ('values_' ~ a.index) | ident }} AS v
