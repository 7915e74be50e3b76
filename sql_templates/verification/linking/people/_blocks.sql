-- name: in_cells
{# Whose the rows of the source are that are joined with released ones.
   grain: one row per combination and person
   in: people_of_cells, judged_cell_steps, placed (the columns v<facet> of labels), steps
   out: (number of the combination, person, rows) #}
SELECT c.p{{ steps | integer }} AS cell, w.person, w.n
FROM people_of_cells AS w
JOIN judged_cell_steps AS c ON {{ placed | each('c.@ = w.@', ' AND ') }}
