{# How near a class of one value alone can come to the whole table by a distance: the least over all
   values that it could have.
   grain: one row
   in: a (what has the index of a coded column), height (of its hierarchy), values_<index>, nearest
       (a template of share and distance for each value: none where no distance is asked for), and
       what that takes
   out: (values of the column, the share of the commonest, the least distance: NULL where there is
       one value alone) #}
SELECT
    COUNT(*) AS own_values,
    MAX(s.share) AS commonest,
    MIN(s.distance) AS nearest
FROM (
    {% if nearest is none %}
    SELECT v.share, CAST(NULL AS DOUBLE) AS distance
    FROM {{ ('values_' ~ a.index) | ident }} AS v
    {% else %}
    {% include nearest ~ '.sql' +%}
    {% endif %}
) AS s
