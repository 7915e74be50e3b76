{# How many rows of the source people have in some combinations of values.
   grain: one row per person and combination
   in: people_rows (see rows), people_fits (see sizes), people_parts(part, whole, single)
   out: (person, cell, rows), of components with several classes #}
SELECT w.person, w.cell, CAST(SUM(w.n) AS BIGINT) AS n
FROM people_rows AS w
JOIN people_parts AS p ON p.part = w.part
WHERE p.single = 0
GROUP BY w.person, w.cell
