{# Limits of the losses of columns, summed over their released rows: of each value the least and the
   greatest that what it can stand for loses. Sums of whole numbers are in units.
   grain: one row per way that is asked for
   in: ways (shape, domain_lo, domain_hi: leaves of the hierarchy, data_lo, data_hi: values of the
       data, width_lo, width_hi: of the data's range, ranged: whether its share is the loss, least:
       level, fixed: whether all rows are of one level), recounted (whether labels_standing
       says what values stand for, else labels_meanings)
   out: (shape, of leaves, of values and of NCP: the least and the greatest sum) #}
WITH
ways AS (
    SELECT
        g.shape, g.domain_lo, CAST(g.domain_hi AS BIGINT) AS domain_hi, g.data_lo,
        CAST(g.data_hi AS BIGINT) AS data_hi, CAST(g.width_lo AS DOUBLE) AS width_lo,
        CAST(g.width_hi AS DOUBLE) AS width_hi, g.ranged, g.least, g.fixed
    FROM (VALUES {{ ways | rows }}) AS g (shape, domain_lo, domain_hi, data_lo, data_hi, width_lo,
        width_hi, ranged, least, fixed)
),
standing AS (
    {% if recounted %}
    SELECT s.* FROM labels_standing AS s
    {% else %}
    SELECT
        m.*,
        CASE WHEN m.words IS NULL THEN 1 ELSE LENGTH(m.words) END AS values_lo,
        CASE WHEN m.words IS NULL THEN m.leaves_hi ELSE LENGTH(m.words) END AS values_hi
    FROM labels_meanings AS m
    WHERE m.fits
    {% endif %}
),
shares AS (
    SELECT
        s.shape, s.id, s.n,
        CASE
            WHEN s.whole AND w.domain_lo > 1 THEN GREATEST(COALESCE(w.domain_hi, 0) - 1, 1)
            WHEN s.whole OR COALESCE(w.domain_hi, 0) <= 1 THEN 0
            ELSE LEAST(s.leaves_lo, w.domain_hi) - 1 END AS leaves_lo,
        CASE
            WHEN s.whole AND COALESCE(w.domain_hi, 2) <= 1 THEN 0
            WHEN s.whole OR s.leaves_hi IS NULL THEN GREATEST(w.domain_lo - 1, 1)
            ELSE LEAST(s.leaves_hi - 1, GREATEST(w.domain_lo - 1, 1)) END AS leaves_hi,
        CASE
            WHEN s.whole AND w.data_lo > 1 THEN GREATEST(COALESCE(w.data_hi, 0) - 1, 1)
            WHEN s.whole OR COALESCE(w.data_hi, 0) <= 1 THEN 0
            ELSE LEAST(s.values_lo, w.data_hi) - 1 END AS values_lo,
        CASE
            WHEN s.whole AND COALESCE(w.data_hi, 2) <= 1 THEN 0
            WHEN s.whole OR s.values_hi IS NULL THEN GREATEST(w.data_lo - 1, 1)
            ELSE LEAST(s.values_hi - 1, GREATEST(w.data_lo - 1, 1)) END AS values_hi,
        CASE
            WHEN w.ranged THEN 0
            WHEN s.whole THEN CASE WHEN w.fixed THEN 0 ELSE COALESCE(w.domain_hi, 1) END
            WHEN s.leaves_lo = 1 AND s.leaves_hi = 1 OR w.least > 0 OR w.domain_hi IS NULL THEN 0
            ELSE s.leaves_lo END AS ncp_lo,
        CASE
            WHEN w.ranged OR NOT s.whole AND s.leaves_lo = 1 AND COALESCE(s.leaves_hi = 1, FALSE)
            THEN 0
            WHEN s.whole THEN w.domain_lo
            ELSE LEAST(COALESCE(s.leaves_hi, w.domain_lo), w.domain_lo) END AS ncp_hi,
        CASE
            WHEN NOT w.ranged THEN 0
            WHEN s.whole THEN CASE WHEN w.fixed THEN 0 ELSE 1 END
            WHEN s.leaves_lo = 1 AND COALESCE(s.leaves_hi = 1, FALSE) OR s.width IS NULL
                OR w.width_lo = 0 OR COALESCE(w.width_hi, 0) = 0
            THEN 0
            ELSE s.width / w.width_hi END AS range_lo,
        CASE
            WHEN NOT w.ranged THEN 0
            WHEN s.whole THEN 1
            WHEN s.leaves_lo = 1 AND COALESCE(s.leaves_hi = 1, FALSE) THEN 0
            WHEN s.width IS NULL OR w.width_lo = 0 THEN 1
            ELSE LEAST(s.width / w.width_lo, 1) END AS range_hi
    FROM standing AS s
    JOIN ways AS w ON w.shape = s.shape
),
by_value AS (
    SELECT
        e.shape,
        MAX(e.n) AS n,
        MIN(e.leaves_lo) AS leaves_lo, MAX(e.leaves_hi) AS leaves_hi,
        MIN(e.values_lo) AS values_lo, MAX(e.values_hi) AS values_hi,
        MIN(e.ncp_lo) AS ncp_lo, MAX(e.ncp_hi) AS ncp_hi,
        MIN(e.range_lo) AS range_lo, MAX(e.range_hi) AS range_hi
    FROM shares AS e
    GROUP BY e.shape, e.id
)
SELECT
    b.shape,
    SUM(b.n * CAST(b.leaves_lo AS HUGEINT)), SUM(b.n * CAST(b.leaves_hi AS HUGEINT)),
    SUM(b.n * CAST(b.values_lo AS HUGEINT)), SUM(b.n * CAST(b.values_hi AS HUGEINT)),
    SUM(b.n * CAST(b.ncp_lo AS HUGEINT)), SUM(b.n * CAST(b.ncp_hi AS HUGEINT)),
    FSUM(b.n * CAST(b.range_lo AS DOUBLE)), FSUM(b.n * CAST(b.range_hi AS DOUBLE))
FROM by_value AS b
GROUP BY b.shape
