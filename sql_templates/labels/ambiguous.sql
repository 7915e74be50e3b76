{# The labels that can stand for more than one thing.
   grain: one row per label
   in: shape (the way's number), the tables labels_values and labels_meanings
   out: (id, label) #}
SELECT v.id, v.label
FROM labels_values AS v
JOIN (
    SELECT q.id
    FROM (
        SELECT DISTINCT m.id, m.leaves_lo, m.leaves_hi, m.whole, m.may_lack, m.words,
            m.lo_number, m.hi_number, m.lo_moment, m.hi_moment
        FROM labels_meanings AS m
        WHERE m.shape = {{ shape | integer }} AND m.fits
    ) AS q
    GROUP BY q.id
    HAVING COUNT(*) > 1
) AS a ON a.id = v.id
WHERE v.label IS NOT NULL
