{# The combinations of the source that fit a class.
   grain: one row per combination and class
   in: judged_matches_<steps>, judged_tuple_steps, judged_cell_steps, people_classes, steps, facets
       (the columns v<facet> of labels)
   out: table people_cells(cell, class, part, size: rows of the class, v<facet>, n) #}
CREATE TABLE people_cells AS
SELECT
    m.cell,
    k.class,
    k.part,
    k.n AS size,
    {{ facets | idents('c') }},
    c.n
FROM judged_matches_{{ steps | integer }} AS m
JOIN judged_cell_steps AS c ON c.p{{ steps | integer }} = m.cell
JOIN judged_tuple_steps AS t ON t.p{{ steps | integer }} = m.tuple
JOIN people_classes AS k ON k.class = t.id
