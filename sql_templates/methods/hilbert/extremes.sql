{# The least and greatest places of every run of one, two, four … cells along the curve.
   grain: one row per cell that a run begins with, and length
   in: line, attributes, doublings
   out: table extremes(doubling, cell, lo<i>, hi<i>) of 2 ^ doubling cells, fewer at the end of the
       curve #}
CREATE TABLE extremes AS
{% for doubling in range(doublings) %}
SELECT
    {{ doubling | integer }} AS doubling,
    l.cell
{% for a in attributes %}
    , MIN(l.p#) OVER (ORDER BY l.cell NULLS LAST ROWS BETWEEN CURRENT ROW
        AND {{ (2 ** doubling - 1) | integer }} FOLLOWING) AS lo#
    , MAX(l.p#) OVER (ORDER BY l.cell NULLS LAST ROWS BETWEEN CURRENT ROW
        AND {{ (2 ** doubling - 1) | integer }} FOLLOWING) AS hi#
{% endfor %}
FROM line AS l
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
