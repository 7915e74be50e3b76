{# The rows of a table with their classes, once at every node: numbers of rows are multiplied by
   how many nodes there are, and that of the node is added.
   grain: one row per node and row
   in: table (its number), together (how many nodes), living (whether of the people in standing_1
       alone), rows_<number>, classes_<number>, standing_1
   out: a SELECT of (id, parent, person, class) #}
SELECT
    r.id * {{ together | integer }} + c.node AS id,
    r.parent * {{ together | integer }} + c.node AS parent,
    r.person * {{ together | integer }} + c.node AS person,
    c.class
FROM {{ ('rows_' ~ table.number) | ident }} AS r
JOIN {{ ('classes_' ~ table.number) | ident }} AS c ON c.cell = r.cell
{% if living %}
JOIN standing_1 AS o ON o.id = r.person * {{ together | integer }} + c.node
{% endif %}
