{# The scores of many nodes: of each class the rows of the source beyond a least number, times what
   is left of a row.
   grain: one row per node with a class of that many rows
   in: table (of the nodes' frequency sets), requests(node, l<index>: the node's levels),
       gains(attribute, level, keys, gain), attributes, masks [(index, [(key, mask)])], least;
       LEFT JOIN, though every path is there, so that no planner joins requests with them first
   out: (node, those rows, score) #}
SELECT
    f.node,
    CAST(SUM(f.p - {{ (least - 1) | integer }}) AS BIGINT) AS beyond,
    CAST(SUM((f.p - {{ (least - 1) | integer }}) * (
    {% for a in attributes %}
        g#.gain{% if not loop.last %} +{% endif +%}
    {% endfor %}
    )) AS BIGINT) AS score
FROM {{ table | ident }} AS f
JOIN {{ requests | ident }} AS r ON r.node = f.node
{% for a in attributes %}
LEFT JOIN gains AS g# ON g#.attribute = # AND g#.level = r.l#
    {% for key, mask in masks[a.index] %}
    AND {{ a | sql('g#') }}.{{ key | ident }}
        = f.{{ key | ident }} & CAST({{ mask | integer }} AS BIGINT)
    {% endfor %}
{% endfor %}
WHERE f.p >= {{ least | integer }}
GROUP BY f.node
ORDER BY f.node
