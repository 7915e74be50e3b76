{# Which values of a column of numbers are near others: within a share of the true one, so that a guess
   that is near counts as right. NULL is near itself alone.
   grain: one row per guess and true value
   in: judged_values_<j>, j, tolerance (the share)
   out: table attacked_near(guess, truth: numbers of values) #}
CREATE TABLE attacked_near AS
WITH numbers AS (
    SELECT t.x, CAST(t.value AS DOUBLE) AS number
    FROM {{ ('judged_values_' ~ j) | ident }} AS t
)
SELECT g.x AS guess, t.x AS truth
FROM numbers AS t
JOIN numbers AS g
    ON g.number >= t.number - {{ tolerance | literal }} * ABS(t.number)
    AND g.number <= t.number + {{ tolerance | literal }} * ABS(t.number)
UNION ALL
SELECT 0 AS guess, 0 AS truth
