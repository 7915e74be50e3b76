{# How likely two released rows that a target's may be, one picked by each part, are one person's.
   grain: one row per target
   in: attacked_places_1, attacked_places_2, attacked_shares_1, attacked_shares_2
   out: (id, who, its rows, released rows that may be its by either part, pairs of these that are one
       person's, its own rows among either) #}
SELECT
    a.id, a.who, a.n,
    a.fitting AS first_rows,
    b.fitting AS second_rows,
    COALESCE(s.n, 0) AS pairs,
    COALESCE(x.w, 0) AS first_own,
    COALESCE(y.w, 0) AS second_own
FROM attacked_places_1 AS a
JOIN attacked_places_2 AS b ON b.id = a.id
LEFT JOIN (
    SELECT k.one, k.other, SUM(v.w * w.w) AS n
    FROM (
        SELECT DISTINCT p.cell AS one, q.cell AS other
        FROM attacked_places_1 AS p
        JOIN attacked_places_2 AS q ON q.id = p.id
    ) AS k
    JOIN attacked_shares_1 AS v ON v.cell = k.one
    JOIN attacked_shares_2 AS w ON w.cell = k.other AND w.who = v.who
    GROUP BY k.one, k.other
) AS s ON s.one = a.cell AND s.other = b.cell
LEFT JOIN attacked_shares_1 AS x ON x.cell = a.cell AND x.who = a.who
LEFT JOIN attacked_shares_2 AS y ON y.cell = b.cell AND y.who = a.who
ORDER BY a.id
