{# Groups in which some rows' cells are withheld for the pattern's sake alone: their values are no secret of theirs, and must not lie
   among secrets. So the attribute is released as * for the whole group.
   grain: one row per group and such attribute
   in: cells (h<index>), assigned, attributes, semi
   out: table hidden(grp, h<index>: 1 where the attribute is hidden) #}
CREATE TABLE hidden AS
SELECT
    y.grp
{% for a in semi %}
    , MAX(c.h{{ a.index | integer }}) AS h{{ a.index | integer }}
{% endfor %}
FROM cells AS c
JOIN assigned AS y
    ON {% for a in attributes %}y.c{{ a.index | integer }} = c.c{{ a.index | integer }}{% if not loop.last %} AND {% endif %}{% endfor +%}
GROUP BY y.grp
HAVING {% for a in semi %}MAX(c.h{{ a.index | integer }}) = 1{% if not loop.last %} OR {% endif %}{% endfor +%}
