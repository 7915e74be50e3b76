{# The matches of whole tuples and combinations, of some of the combinations.
   grain: one row per pair
   in: judged_matches_<steps>, judged_tuple_steps, steps, first and last (of the combinations)
   out: (combination, tuple) #}
SELECT m.cell, t.id
FROM judged_matches_{{ steps | integer }} AS m
JOIN judged_tuple_steps AS t ON t.p{{ steps | integer }} = m.tuple
WHERE m.cell BETWEEN {{ first | integer }} AND {{ last | integer }}
