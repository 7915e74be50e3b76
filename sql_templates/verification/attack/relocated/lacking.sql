{# Rows of the release whose kept values the source does not have, or not so often.
   grain: one row
   in: relocated_rows
   out: rows of such values, the same with masked rows, by the values that these show; how many rows
       are masked #}
SELECT
    (
        SELECT CAST(COALESCE(SUM(u.more), 0) AS BIGINT)
        FROM (
            SELECT SUM(CASE r.side WHEN 0 THEN -r.n WHEN 1 THEN r.n ELSE 0 END) AS more
            FROM relocated_rows AS r
            GROUP BY r.kept
        ) AS u
        WHERE u.more > 0
    ) AS released,
    (
        SELECT CAST(COALESCE(SUM(u.more), 0) AS BIGINT)
        FROM (
            SELECT SUM(CASE r.side WHEN 0 THEN -r.n ELSE r.n END) AS more
            FROM relocated_rows AS r
            GROUP BY r.seen
        ) AS u
        WHERE u.more > 0
    ) AS counted_in,
    (
        SELECT CAST(COALESCE(SUM(r.n), 0) AS BIGINT)
        FROM relocated_rows AS r
        WHERE r.side = 2
    ) AS masked
