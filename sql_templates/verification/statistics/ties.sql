{# What ties the audited cells together: a cell, and those one level below it in one dimension.
   grain: one row per whole, dimension and part
   in: audited, parents, attributes
   out: a SELECT of (whole, dimension, part: numbers of cells), by the whole and the dimension #}
SELECT
    CAST(r.whole AS BIGINT) AS whole,
    CAST(r.dimension AS BIGINT) AS dimension,
    CAST(r.part AS BIGINT) AS part
FROM (
{% for a in attributes %}
    SELECT w.cell AS whole, # AS dimension, p.cell AS part
    FROM audited AS p
    JOIN parents AS u ON u.attribute = # AND u.level = p.l# AND u.k = p.k#
    JOIN audited AS w ON w.l# = p.l# + 1 AND w.k# = u.up
    {% for other in attributes %}
        {% if other.index != a.index %}
        AND {{ other | sql('w.l# = p.l# AND w.k# = p.k#') }}
        {% endif %}
    {% endfor %}
    {% if not loop.last %}
    UNION ALL
    {% endif %}
{% endfor %}
) AS r
ORDER BY r.whole, r.dimension, r.part
