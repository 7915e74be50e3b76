{# How many released rows each target's may be, and by what.
   grain: one row per target
   in: judged_matches_<steps>, judged_tuple_steps, judged_cell_steps(id, who), steps, part (1 or 2)
   out: table attacked_places_<part>(id, who, n, cell: the number of what is known of it, fitting:
       rows) #}
CREATE TABLE attacked_places_{{ part | integer }} AS
SELECT
    c.id, c.who, c.n,
    c.p{{ steps | integer }} AS cell,
    CAST(COALESCE(f.n, 0) AS BIGINT) AS fitting
FROM judged_cell_steps AS c
LEFT JOIN (
    SELECT m.cell, SUM(t.n) AS n
    FROM judged_matches_{{ steps | integer }} AS m
    JOIN judged_tuple_steps AS t ON t.p{{ steps | integer }} = m.tuple
    GROUP BY m.cell
) AS f ON f.cell = c.p{{ steps | integer }}
