{# How many people the classes of a release can have: of so many released rows, taken from the
   source's rows that fit, those with the most rows first, and everybody who has such a row.
   grain: one row per distinct numbers
   in: people_rows (see rows), people_cells
   out: (fewest people, most people, classes) #}
SELECT s.fewest, s.most, COUNT(*) AS classes
FROM (
    SELECT
        u.class,
        CAST(SUM(CASE WHEN u.upto - u.n < u.size THEN 1 ELSE 0 END) AS BIGINT) AS fewest,
        CAST(CASE WHEN COUNT(*) < MAX(u.size) THEN COUNT(*) ELSE MAX(u.size) END AS BIGINT) AS most
    FROM (
        SELECT
            p.class,
            p.size,
            p.n,
            SUM(p.n) OVER (
                PARTITION BY p.class
                ORDER BY p.n DESC NULLS LAST, p.person NULLS FIRST
                ROWS UNBOUNDED PRECEDING
            ) AS upto
        FROM (
            SELECT f.class, f.size, w.person, SUM(w.n) AS n
            FROM people_cells AS f
            JOIN people_rows AS w ON w.cell = f.cell
            GROUP BY f.class, f.size, w.person
        ) AS p
    ) AS u
    GROUP BY u.class
) AS s
GROUP BY s.fewest, s.most
