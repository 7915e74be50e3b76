{# The class of each cell of a table at the levels of some nodes: cells of one class have the same
   labels at one node, and so have the rows that theirs refer to.
   grain: one row per node and cell
   in: table (its number, attributes, upper where it refers to another one than that of people),
       nodes (node: 0 …, l<index>: levels), cells_<number>, classes_<upper>, steps
   out: a SELECT of (node, cell, class) #}
SELECT n.node, e.cell,
    CAST(DENSE_RANK() OVER (ORDER BY
        {% if table.nested %}p.class{% else %}n.node{% endif %} NULLS LAST
        {{ table.attributes | each(', s#.up NULLS LAST') }}
    ) AS BIGINT) AS class
FROM {{ ('cells_' ~ table.number) | ident }} AS e
CROSS JOIN nodes AS n
{% if table.nested %}
JOIN {{ ('classes_' ~ table.upper) | ident }} AS p ON p.cell = e.up AND p.node = n.node
{% endif %}
{% for a in table.attributes %}
JOIN steps AS s# ON s#.attribute = # AND s#.code = e.c# AND s#.level = n.l#
{% endfor %}
