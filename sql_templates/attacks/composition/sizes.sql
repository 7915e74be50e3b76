{# How many released rows the classes of a release have, and how many rows of the source fit them.
   grain: one row
   in: judged_tuples(id, n), together_placed
   out: (classes, least released rows, rows that fit one, rows that fit one and are not released,
       released rows that no row of the source is left for) #}
SELECT
    CAST(COUNT(*) AS BIGINT) AS classes,
    CAST(COALESCE(MIN(t.n), 0) AS BIGINT) AS least,
    CAST(COALESCE(SUM(f.n), 0) AS BIGINT) AS fitting,
    CAST(COALESCE(SUM(CASE WHEN f.n > t.n THEN f.n - t.n ELSE 0 END), 0) AS BIGINT) AS left_out,
    CAST(COALESCE(SUM(
        CASE WHEN t.n > COALESCE(f.n, 0) THEN t.n - COALESCE(f.n, 0) ELSE 0 END
    ), 0) AS BIGINT) AS unseen
FROM judged_tuples AS t
LEFT JOIN (
    SELECT p.class, CAST(SUM(p.n) AS BIGINT) AS n FROM together_placed AS p GROUP BY p.class
) AS f ON f.class = t.id
