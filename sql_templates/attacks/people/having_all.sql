{# How many people of a side have all rows of a set of released ones: so many that fit each of them,
   and no others that fit a released row.
   grain: one row per set that somebody has
   in: attacked_sets(id, tuple: id of judged_tuples, n: rows, size: how many tuples the set has,
       whole: its rows), steps, judged_matches_<steps>, judged_tuple_steps, judged_cell_steps(who)
   out: (id, people) #}
SELECT h.id, COUNT(*) AS n
FROM (
    SELECT f.id, f.who, MAX(f.whole) AS whole
    FROM (
        SELECT s.id, s.tuple, s.size, s.whole, c.who
        FROM attacked_sets AS s
        JOIN judged_tuple_steps AS t ON t.id = s.tuple
        JOIN judged_matches_{{ steps | integer }} AS m ON m.tuple = t.p{{ steps | integer }}
        JOIN judged_cell_steps AS c ON c.p{{ steps | integer }} = m.cell
        GROUP BY s.id, s.tuple, s.n, s.size, s.whole, c.who
        HAVING SUM(c.n) >= s.n
    ) AS f
    GROUP BY f.id, f.who
    HAVING COUNT(*) = MAX(f.size)
) AS h
JOIN (
    SELECT d.who, SUM(d.n) AS n
    FROM judged_cell_steps AS d
    JOIN (
        SELECT DISTINCT k.cell FROM judged_matches_{{ steps | integer }} AS k
    ) AS e ON e.cell = d.p{{ steps | integer }}
    GROUP BY d.who
) AS p ON p.who = h.who AND p.n = h.whole
GROUP BY h.id
ORDER BY h.id
