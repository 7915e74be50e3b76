{# How many generalized cells of a column stand for fewer values to one who knows the rule: of the
   values that combinations in the box of a class have, some are in none that it allows. A class
   that it allows no combination was not made by it.
   grain: one row
   in: attacked_allowed, attacked_losses, judged_cell_steps, steps, facet, most (combinations that
       the labels of a class cover at most, or none for all)
   out: (generalized cells, those of fewer values, those of a single one) #}
SELECT
    CAST(COALESCE(SUM(f.n), 0) AS BIGINT) AS cells,
    CAST(COALESCE(SUM(CASE WHEN f.allowed BETWEEN 1 AND f.known - 1 THEN f.n ELSE 0 END), 0) AS BIGINT)
        AS fewer,
    CAST(COALESCE(SUM(CASE WHEN f.allowed = 1 AND f.known > 1 THEN f.n ELSE 0 END), 0) AS BIGINT)
        AS single
FROM (
    SELECT
        l.tuple,
        l.n,
        COUNT(DISTINCT c.v{{ facet | integer }}) AS known,
        COUNT(DISTINCT CASE WHEN a.allowed = 1 THEN c.v{{ facet | integer }} END) AS allowed
    FROM attacked_losses AS l
    JOIN attacked_allowed AS a ON a.tuple = l.tuple
    JOIN (
        SELECT DISTINCT s.p{{ steps | integer }} AS cell, s.v{{ facet | integer }}
        FROM judged_cell_steps AS s
    ) AS c ON c.cell = a.cell
    WHERE l.s{{ facet | integer }} > 1
    {% if most %}
        AND l.size <= {{ most | literal }}
    {% endif %}
    GROUP BY l.tuple, l.n
) AS f
