{# How many released rows the classes of a release have, and how many rows of the source fit them.
   grain: one row
   in: judged_tuples(id, n), together_classes_<number>, number
   out: (classes, least released rows, rows that fit one, classes with fewer rows than fit, rows
       that fit these and are not released, released rows that no row of the source is left for) #}
SELECT
    CAST(COUNT(*) AS BIGINT) AS classes,
    CAST(COALESCE(MIN(t.n), 0) AS BIGINT) AS least,
    CAST(COALESCE(SUM(f.n), 0) AS BIGINT) AS fitting,
    CAST(COALESCE(SUM(CASE WHEN f.n > t.n THEN 1 ELSE 0 END), 0) AS BIGINT) AS partial,
    CAST(COALESCE(SUM(CASE WHEN f.n > t.n THEN f.n - t.n ELSE 0 END), 0) AS BIGINT) AS left_out,
    CAST(COALESCE(SUM(
        CASE WHEN t.n > COALESCE(f.n, 0) THEN t.n - COALESCE(f.n, 0) ELSE 0 END
    ), 0) AS BIGINT) AS unseen
FROM judged_tuples AS t
LEFT JOIN (
    SELECT c.class, CAST(SUM(c.n) AS BIGINT) AS n
    FROM together_classes_{{ number | integer }} AS c
    GROUP BY c.class
) AS f ON f.class = t.id
