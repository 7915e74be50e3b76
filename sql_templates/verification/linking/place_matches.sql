{# Which combinations of the source can have a value in a bucket: they may be in a released row of
   it, and have the value.
   grain: one row per pair
   in: bucket_places, judged_matches_<steps>, judged_tuple_steps, judged_cell_steps, facet (of the
       column's values), steps
   out: table place_matches(tuple: the number of the place, cell) #}
CREATE TABLE place_matches AS
SELECT DISTINCT b.p{{ steps | integer }} AS tuple, m.cell
FROM judged_matches_{{ steps | integer }} AS m
JOIN judged_tuple_steps AS t ON t.p{{ steps | integer }} = m.tuple
JOIN judged_cell_steps AS c ON c.p{{ steps | integer }} = m.cell
JOIN bucket_places AS b
    ON b.bucket = t.v{{ facet | integer }} AND b.x = c.v{{ facet | integer }}
WHERE t.v{{ facet | integer }} <> 0
