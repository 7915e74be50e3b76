{# How many rows of a table are suppressed by themselves, and do not go with the row that they
   refer to, by node.
   grain: one row per node
   in: table (its number, upper), suppressed (a table of ids), together (how many nodes there are),
       standing_<number> as it was, standing_<upper> as it is left
   out: (node, number of rows) #}
SELECT x.id % {{ together | integer }} AS node, COUNT(*) AS gone
FROM {{ suppressed | ident }} AS x
{% if table.upper %}
JOIN {{ ('standing_' ~ table.number) | ident }} AS t ON t.id = x.id
JOIN {{ ('standing_' ~ table.upper) | ident }} AS p ON p.id = t.parent
{% endif %}
GROUP BY x.id % {{ together | integer }}
