{# grain: one row
   in: groups
   out: (groups, rows of the smallest, rows in all, sum of squared sizes) #}
SELECT
    COUNT(*) AS classes,
    COALESCE(MIN(x.n), 0) AS min_class,
    CAST(COALESCE(SUM(x.n), 0) AS BIGINT) AS released,
    CAST(COALESCE(SUM(x.n * x.n), 0) AS BIGINT) AS squares
FROM groups AS x
