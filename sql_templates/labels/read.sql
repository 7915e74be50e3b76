{# How the values of columns were read, by the ways in which they can be released.
   grain: one row per way
   in: shapes (shape, col), the tables labels_values and labels_meanings
   out: (shape, values: how many, strange: with no meaning, confused: with none that fits) #}
WITH
shapes (shape, col) AS (
    VALUES {{ shapes | rows }}
),
counted AS (
    SELECT v.col, COUNT(*) AS many FROM labels_values AS v GROUP BY v.col
),
by_value AS (
    SELECT m.shape, m.id, COUNT(*) FILTER (WHERE m.fits) AS fitting
    FROM labels_meanings AS m
    GROUP BY m.shape, m.id
),
verdicts AS (
    SELECT b.shape, COUNT(*) AS meant, COUNT(*) FILTER (WHERE b.fitting = 0) AS confused
    FROM by_value AS b
    GROUP BY b.shape
)
SELECT
    s.shape,
    COALESCE(c.many, 0) AS many,
    COALESCE(c.many, 0) - COALESCE(v.meant, 0) AS strange,
    COALESCE(v.confused, 0) AS confused
FROM shapes AS s
LEFT JOIN counted AS c ON c.col = s.col
LEFT JOIN verdicts AS v ON v.shape = s.shape
