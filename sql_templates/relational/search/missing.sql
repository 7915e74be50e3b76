{# The rows of a table that do not stay at some nodes.
   grain: one row per node and such row
   in: table (its number), kept (the nodes), together (how many nodes there are), gone (a table of
       the people that do not stay, where no row is missing but theirs; none: any may be), nodes,
       rows_<number>, standing_<number>
   out: a SELECT of (node, id) #}
{% if gone %}
SELECT m.node, r.id
FROM {{ ('rows_' ~ table.number) | ident }} AS r
JOIN {{ gone | ident }} AS m ON m.id = r.person
{% else %}
SELECT n.node, r.id
FROM {{ ('rows_' ~ table.number) | ident }} AS r
JOIN nodes AS n ON n.node IN ({{ kept | listed('#') }})
LEFT JOIN {{ ('standing_' ~ table.number) | ident }} AS t
    ON t.id = r.id * {{ together | integer }} + n.node
WHERE t.id IS NULL
{% endif %}
