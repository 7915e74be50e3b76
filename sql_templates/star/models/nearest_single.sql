{# How near a class of one value alone can come to the whole table by a distance of t-closeness: the
   least distance over all values that it could have.
   grain: one row
   in: a (coded column with its attribute where the distance is hierarchical), kind (equal, ordered
       or hierarchical), values_<index>, groups_<index> where it is hierarchical
   out: (values of the column, the share of the commonest, the least distance: NULL where there is
       one value alone) #}
SELECT
    COUNT(*) AS own_values,
    MAX(s.share) AS commonest,
    MIN(s.distance) AS nearest
FROM (
{% if kind == 'ordered' %}
    SELECT
        v.share,
        (
            COALESCE(SUM(v.below) OVER (ORDER BY v.place NULLS FIRST
                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)
            + SUM(1 - v.below) OVER (ORDER BY v.place NULLS FIRST ROWS BETWEEN CURRENT ROW
                AND UNBOUNDED FOLLOWING)
        ) / NULLIF(v.m - 1, 0) AS distance
    FROM {{ ('values_' ~ a.index) | ident }} AS v
{% elif kind == 'hierarchical' %}
    SELECT
        MAX(v.share) AS share,
        CASE WHEN MAX(v.m) > 1
            THEN 1 - SUM(g.share) / {{ a.attribute.height | integer }} END AS distance
    FROM {{ ('values_' ~ a.index) | ident }} AS v
    JOIN {{ ('groups_' ~ a.index) | ident }} AS g ON g.code = v.code
    GROUP BY v.code
{% else %}
    SELECT v.share, CASE WHEN v.m > 1 THEN 1 - v.share END AS distance
    FROM {{ ('values_' ~ a.index) | ident }} AS v
{% endif %}
) AS s
