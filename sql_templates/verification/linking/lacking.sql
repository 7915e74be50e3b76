{# Released rows that are more than the source's rows that they may be.
   grain: one row
   in: matches(tuple, cell), tuples(p<steps>, n), judged_cell_steps, steps
   out: (such rows, tuple by tuple: all of them where each combination goes with one tuple at the
       most, combinations that go with several) #}
SELECT
    (
        SELECT CAST(COALESCE(SUM(t.n - COALESCE(f.n, 0)), 0) AS BIGINT)
        FROM {{ tuples | ident }} AS t
        LEFT JOIN (
            SELECT m.tuple, SUM(c.n) AS n
            FROM {{ matches | ident }} AS m
            JOIN judged_cell_steps AS c ON c.p{{ steps | integer }} = m.cell
            GROUP BY m.tuple
        ) AS f ON f.tuple = t.p{{ steps | integer }}
        WHERE t.n > COALESCE(f.n, 0)
    ) AS lacking,
    (
        SELECT COUNT(*)
        FROM (
            SELECT m.cell
            FROM {{ matches | ident }} AS m
            GROUP BY m.cell
            HAVING COUNT(*) > 1
        ) AS s
    ) AS shared
