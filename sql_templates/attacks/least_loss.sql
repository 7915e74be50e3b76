{# Combinations of the source in the box of a class, and whether the rule lets them be in it: no class
   of lesser loss holds them.
   grain: one row per class and combination
   in: judged_matches_<steps>(tuple, cell), attacked_losses, steps
   out: table attacked_allowed(tuple, cell, allowed: 1 or 0) #}
CREATE TABLE attacked_allowed AS
SELECT
    m.tuple,
    m.cell,
    CASE WHEN l.loss = MIN(l.loss) OVER (PARTITION BY m.cell) THEN 1 ELSE 0 END AS allowed
FROM judged_matches_{{ steps | integer }} AS m
JOIN attacked_losses AS l ON l.tuple = m.tuple
