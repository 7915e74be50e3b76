{# What ties cells together: a cell, and those one level below it in one dimension.
   grain: one row per whole, dimension and part
   in: cells, groups, vectors_above (v, dimension, level, above: the vector of levels in which this
       dimension is one level higher), attributes
   out: a SELECT of (whole, dimension, part: numbers of cells), by the whole and the dimension #}
SELECT
    CAST(r.whole AS BIGINT) AS whole,
    CAST(r.dimension AS BIGINT) AS dimension,
    CAST(r.part AS BIGINT) AS part
FROM (
{% for a in attributes %}
    SELECT w.cell AS whole, # AS dimension, p.cell AS part
    FROM cells AS p
    JOIN vectors_above AS b ON b.v = p.v AND b.dimension = #
    JOIN groups AS u ON u.attribute = # AND u.level = b.level AND u.code = p.c#
    JOIN cells AS w ON w.v = b.above
    {% for other in attributes %}
        AND {{ other | sql('w.c# =') }} {% if other.index == a.index %}u.up{% else %}{{ other | sql('p.c#') }}{% endif +%}
    {% endfor %}
    {% if not loop.last %}
    UNION ALL
    {% endif %}
{% endfor %}
) AS r
ORDER BY r.whole, r.dimension, r.part
