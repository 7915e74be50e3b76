{# How many rows of the other side the rows of the source and the released ones may be.
   grain: one row
   in: judged_matches_<steps>, judged_tuple_steps, judged_cell_steps, steps, k
   out: (pairs of rows, the fewest released rows that a row of the source may be which may be any,
       the fewest rows of the source that a released row may be, rows of the source that may be
       some released rows and fewer than k, released rows that may be fewer than k) #}
WITH pairs AS (
    SELECT m.cell, m.tuple, c.n AS originals, t.n AS released
    FROM judged_matches_{{ steps | integer }} AS m
    JOIN judged_cell_steps AS c ON c.p{{ steps | integer }} = m.cell
    JOIN judged_tuple_steps AS t ON t.p{{ steps | integer }} = m.tuple
),
cells AS (
    SELECT p.cell, MAX(p.originals) AS n, SUM(p.released) AS others
    FROM pairs AS p
    GROUP BY p.cell
),
tuples AS (
    SELECT t.id, MAX(t.n) AS n, COALESCE(SUM(p.originals), 0) AS others
    FROM judged_tuple_steps AS t
    LEFT JOIN pairs AS p ON p.tuple = t.p{{ steps | integer }}
    GROUP BY t.id
)
SELECT
    (SELECT CAST(COALESCE(SUM(c.n * c.others), 0) AS BIGINT) FROM cells AS c) AS pairs,
    (SELECT CAST(COALESCE(MIN(c.others), 0) AS BIGINT) FROM cells AS c) AS least_original,
    (SELECT CAST(COALESCE(MIN(t.others), 0) AS BIGINT) FROM tuples AS t) AS least_released,
    (
        SELECT CAST(COALESCE(SUM(c.n), 0) AS BIGINT)
        FROM cells AS c
        WHERE c.others < {{ k | integer }}
    ) AS originals,
    (
        SELECT CAST(COALESCE(SUM(t.n), 0) AS BIGINT)
        FROM tuples AS t
        WHERE t.others < {{ k | integer }}
    ) AS released
