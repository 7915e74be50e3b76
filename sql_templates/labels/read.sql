{# How the values of columns were read, by the ways in which they can be released.
   grain: one row per way
   in: shapes (shape, col), the tables labels_values and labels_meanings
   out: (shape, values: how many, strange: with no meaning, confused: with none that fits, named:
       values that are named, surely: those that certainly occur, null_surely: whether NULL does,
       listed: whether all meanings name their values, several: whether a value stands for two or
       more, whole: whether any stands for all, the least and the greatest bound that is a number:
       exactly and as a double) #}
WITH
shapes (shape, col) AS (
    VALUES {{ shapes | rows }}
),
counted AS (
    SELECT v.col, COUNT(*) AS many FROM labels_values AS v GROUP BY v.col
),
by_value AS (
    SELECT
        m.shape,
        m.id,
        COUNT(*) FILTER (WHERE m.fits) AS fitting,
        BOOL_AND(m.leaves_lo > 1 AND NOT m.whole) FILTER (WHERE m.fits) AS several
    FROM labels_meanings AS m
    GROUP BY m.shape, m.id
),
verdicts AS (
    SELECT
        b.shape,
        COUNT(*) AS meant,
        COUNT(*) FILTER (WHERE b.fitting = 0) AS confused,
        BOOL_OR(COALESCE(b.several, FALSE)) AS several
    FROM by_value AS b
    GROUP BY b.shape
),
words AS (
    SELECT w.shape, w.word, BOOL_OR(w.fitting = 1) AS surely
    FROM (
        SELECT m.shape, UNNEST(m.words) AS word, b.fitting
        FROM labels_meanings AS m
        JOIN by_value AS b ON b.shape = m.shape AND b.id = m.id
        WHERE m.fits
    ) AS w
    GROUP BY w.shape, w.word
),
named AS (
    SELECT
        w.shape,
        COUNT(*) AS named,
        COUNT(*) FILTER (WHERE w.surely) AS surely,
        BOOL_OR(w.surely AND w.word IS NULL) AS null_surely
    FROM words AS w
    GROUP BY w.shape
),
ends AS (
    SELECT
        m.shape,
        BOOL_AND(m.words IS NOT NULL) AS listed,
        BOOL_OR(m.whole) AS whole,
        MIN(m.lo_exact) FILTER (WHERE GREATEST(ABS(m.lo_number), ABS(m.hi_number)) <= 1e18)
            AS lo_exact,
        MAX(m.hi_exact) FILTER (WHERE GREATEST(ABS(m.lo_number), ABS(m.hi_number)) <= 1e18)
            AS hi_exact,
        MIN(m.lo_number) FILTER (WHERE GREATEST(ABS(m.lo_number), ABS(m.hi_number)) <= 1e18)
            AS lo_number,
        MAX(m.hi_number) FILTER (WHERE GREATEST(ABS(m.lo_number), ABS(m.hi_number)) <= 1e18)
            AS hi_number
    FROM labels_meanings AS m
    WHERE m.fits
    GROUP BY m.shape
)
SELECT
    s.shape,
    COALESCE(c.many, 0) AS many,
    COALESCE(c.many, 0) - COALESCE(v.meant, 0) AS strange,
    COALESCE(v.confused, 0) AS confused,
    COALESCE(n.named, 0) AS named,
    COALESCE(n.surely, 0) AS surely,
    COALESCE(n.null_surely, FALSE) AS null_surely,
    COALESCE(e.listed, TRUE) AS listed,
    COALESCE(v.several, FALSE) AS several,
    COALESCE(e.whole, FALSE) AS whole,
    e.lo_exact, e.hi_exact, e.lo_number, e.hi_number
FROM shapes AS s
LEFT JOIN counted AS c ON c.col = s.col
LEFT JOIN verdicts AS v ON v.shape = s.shape
LEFT JOIN named AS n ON n.shape = s.shape
LEFT JOIN ends AS e ON e.shape = s.shape
