{# Whose the released rows may be: the rows of each released combination, divided among the people of
   the source whose rows fit it, by how many rows they have there.
   grain: one row per released combination and person
   in: attacked_release, judged_matches_<steps>, judged_tuple_steps, judged_cell_steps (all of them
       joined by all facets), facets (columns v<facet>), steps
   out: table attacked_owners(tuple: id of the combination, who, w: rows) #}
CREATE TABLE attacked_owners AS
SELECT
    r.id AS tuple,
    f.who,
    CAST(r.n AS DOUBLE) * f.n / SUM(f.n) OVER (PARTITION BY f.tuple) AS w
FROM (
    SELECT m.tuple, c.who, SUM(c.n) AS n
    FROM judged_matches_{{ steps | integer }} AS m
    JOIN judged_cell_steps AS c ON c.p{{ steps | integer }} = m.cell
    GROUP BY m.tuple, c.who
) AS f
JOIN judged_tuple_steps AS t ON t.p{{ steps | integer }} = f.tuple
JOIN attacked_release AS r ON {{ facets | each('r.@ = t.@', ' AND ') }}
