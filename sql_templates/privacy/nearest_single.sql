{# How near a class of one value alone can come to the whole table by a distance: the least over all
   values that it could have.
   grain: one row
   in: a (coded column), nearest (a template of share and distance for each value), and what that
       takes
   out: (values of the column, the share of the commonest, the least distance: NULL where there is
       one value alone) #}
SELECT
    COUNT(*) AS own_values,
    MAX(s.share) AS commonest,
    MIN(s.distance) AS nearest
FROM (
    {% include nearest ~ '.sql' +%}
) AS s
