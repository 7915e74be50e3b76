{# The weight of each atom of a run, in whole numbers: at least one.
   grain: one row per column and run
   in: sizes (a list of columns' position and units: how many all of the column's atoms may have),
       completed_weights(position: of the column and a component, column, run, weight: of the
       whole run, in units of 2**-62),
       completed_runs
   out: table completed_units(position, of_column, run, first, past: atoms, unit: of each atom, start: of the atoms
       before the run, covered: whether they may be drawn) #}
CREATE OR REPLACE TABLE completed_units AS
SELECT
    u.position, u.of_column, u.run, u.first, u.past, u.unit,
    CAST(SUM((u.past - u.first) * u.unit) OVER (
        PARTITION BY u.position ORDER BY u.first
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) - (u.past - u.first) * u.unit AS BIGINT) AS start,
    u.covered
FROM (
    SELECT
        w.position, w.of_column, w.run, r.first, r.past,
        w.weight > 0 AS covered,
        GREATEST(1, CAST(FLOOR(ROUND(
            w.weight / CAST(4611686018427387904 AS DOUBLE) / (r.past - r.first), 12
        ) * s.units) AS BIGINT)) AS unit
    FROM completed_runs AS r
    JOIN completed_weights AS w ON w.of_column = r.position AND w.run = r.run
    JOIN (VALUES {{ sizes | rows }}) AS s (position, units) ON s.position = r.position
) AS u
