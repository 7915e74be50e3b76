{# The runs of atoms that no label or shown value begins or ends in, and behind them where the last one ends.
   grain: one row per column and run
   in: completed_token_ranges, completed_found
   out: table completed_runs(position, run: from 0, first, past) #}
CREATE OR REPLACE TABLE completed_runs AS
SELECT
    e.position,
    ROW_NUMBER() OVER (PARTITION BY e.position ORDER BY e.first) - 1 AS run,
    e.first,
    LEAD(e.first) OVER (PARTITION BY e.position ORDER BY e.first) AS past
FROM (
    SELECT r.position, r.first FROM completed_token_ranges AS r
    UNION
    SELECT r.position, r.past FROM completed_token_ranges AS r
    UNION
    SELECT f.position, f.first FROM completed_found AS f WHERE f.value < 0
    UNION
    SELECT f.position, f.past FROM completed_found AS f WHERE f.value < 0
) AS e
