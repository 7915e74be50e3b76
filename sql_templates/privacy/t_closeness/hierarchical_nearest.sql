{# How far a class of one value alone is from the whole table by the hierarchical distance.
   grain: one row per value
   in: a (what has the index of a coded column), height, values_<index>, groups_<index>
   out: a SELECT of (code, share, distance: NULL where there is one value alone) #}
SELECT
    v.code,
    MAX(v.share) AS share,
    CASE WHEN MAX(v.m) > 1
        THEN 1 - SUM(g.share) / {{ height | integer }} END AS distance
FROM {{ ('values_' ~ a.index) | ident }} AS v
JOIN {{ ('groups_' ~ a.index) | ident }} AS g ON g.code = v.code
GROUP BY v.code
