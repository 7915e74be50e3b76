{# Rings that are none: by the sizes of their runs, every window must begin and end where it says,
   windows must follow each other around the ring, each for as many rows as it has ring positions,
   and none may stand for fewer rows than is promised. Then every row is in as many windows as a
   window has rows, and so many assignments without a common match exist (Wong, Mamoulis, Cheung
   2010, Lemma 1).
   grain: one row
   in: rings(part, size, length), members(part, run, item, n), windows(grp, part, first_run,
       last_run, start, n), k
   out: how many windows, or rings, are wrong #}
WITH laid AS (
    SELECT
        m.part,
        m.run,
        m.n,
        CAST(SUM(m.n) OVER (
            PARTITION BY m.part ORDER BY m.run NULLS FIRST
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS BIGINT) AS upto
    FROM members AS m
),
followed AS (
    SELECT
        w.part,
        w.n,
        w.start,
        w.first_run,
        w.last_run,
        CAST(SUM(w.n) OVER (
            PARTITION BY w.part ORDER BY w.start NULLS FIRST
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS BIGINT) - w.n AS before
    FROM windows AS w
),
placed AS (
    SELECT
        r.part,
        f.before = f.start
            AND b.upto - b.n <= f.start
            AND e.upto >= f.start + r.length
            AND CASE
                WHEN r.length = r.size THEN f.n = r.size
                ELSE f.start + f.n <= b.upto AND e.upto >= f.start + f.n - 1 + r.length
            END AS sound
    FROM followed AS f
    JOIN rings AS r ON r.part = f.part
    LEFT JOIN laid AS b ON b.part = f.part AND b.run = f.first_run
    LEFT JOIN laid AS e ON e.part = f.part AND e.run = f.last_run
)
SELECT
    (SELECT COUNT(*) FROM placed AS p WHERE NOT COALESCE(p.sound, FALSE))
    + (
        SELECT COUNT(*)
        FROM rings AS r
        LEFT JOIN (
            SELECT f.part, CAST(SUM(f.n) AS BIGINT) AS size FROM followed AS f GROUP BY f.part
        ) AS f ON f.part = r.part
        LEFT JOIN (
            SELECT l.part, MAX(l.upto) AS upto FROM laid AS l GROUP BY l.part
        ) AS l ON l.part = r.part
        WHERE r.length < {{ k | integer }} OR r.length > r.size OR COALESCE(f.size, 0) <> r.size
            OR COALESCE(l.upto, 0) <> CASE WHEN r.length = r.size THEN r.size ELSE 2 * r.size END
    ) AS wrong
