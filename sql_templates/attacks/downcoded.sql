{# How well labels of a column are guessed to be values, in the released rows that may be a target's.
   grain: one row per target with such a row
   in: judged_matches_<steps>, judged_tuple_steps, judged_cell_steps(id), attacked_finer, steps,
       facet
   out: (id, how often it was drawn, rows with labels that may be several values; of these, such as
       are guessed rightly on average, and that would be if all values were as likely; rows with labels that
       are a single value) #}
SELECT
    c.id, c.n,
    COALESCE(SUM(CASE WHEN f.size > 1 THEN t.n * f.part END), 0) AS several,
    COALESCE(SUM(
        CASE WHEN f.size > 1 AND f.code = c.v{{ facet | integer }} THEN t.n * f.part END
    ), 0) AS hits,
    COALESCE(SUM(CASE WHEN f.size > 1 THEN t.n * f.part / f.size END), 0) AS evenly,
    COALESCE(SUM(CASE WHEN f.size = 1 THEN t.n END), 0) AS single
FROM judged_cell_steps AS c
JOIN judged_matches_{{ steps | integer }} AS m ON m.cell = c.p{{ steps | integer }}
JOIN judged_tuple_steps AS t ON t.p{{ steps | integer }} = m.tuple
JOIN attacked_finer AS f ON f.label = t.v{{ facet | integer }}
GROUP BY c.id, c.n
ORDER BY c.id
