{# What released values stand for, given how many values of the source they cover. What a value that
   can be read in several ways is at a level where neither the source nor a label above one of its
   values is written so, it does not stand for.
   grain: one row per way, value and meaning
   in: ways (shape, listed: whether its hierarchy lists its leaves, hidden: how many values of the
       source the release can hide, NULL for any number, ranked: whether the width of a range is
       counted in values), the tables labels_meanings, labels_covered(shape, id, n), and
       labels_levels(shape, id, level, n) of the values that can be read in several ways
   out: table labels_standing(as labels_meanings; values_lo, values_hi) #}
CREATE OR REPLACE TABLE labels_standing AS
WITH
ways AS (
    SELECT g.shape, g.listed, CAST(g.hidden AS BIGINT) AS hidden, g.ranked
    FROM (VALUES {{ ways | rows }}) AS g (shape, listed, hidden, ranked)
),
meanings AS (
    SELECT
        m.shape, m.id, m.n, m.leaves_lo, m.leaves_hi, m.whole, m.single, m.words, m.width,
        m.lo_number IS NOT NULL OR m.lo_moment IS NOT NULL AS has_bounds,
        LIST(m.level) FILTER (WHERE m.level IS NOT NULL) AS levels,
        ROW_NUMBER() OVER () AS number
    FROM labels_meanings AS m
    JOIN ways AS w ON w.shape = m.shape
    WHERE m.fits
    GROUP BY m.shape, m.id, m.n, m.leaves_lo, m.leaves_hi, m.whole, m.may_lack, m.single, m.words,
        m.width, m.lo_number, m.hi_number, m.lo_moment, m.hi_moment
),
ambiguous AS (
    SELECT DISTINCT l.shape, l.id FROM labels_levels AS l
),
by_level AS (
    SELECT q.number, COUNT(*) AS levels, COUNT(DISTINCT l.n) AS counts, MIN(l.n) AS n
    FROM (SELECT m.number, m.shape, m.id, UNNEST(m.levels) AS level FROM meanings AS m) AS q
    JOIN labels_levels AS l ON l.shape = q.shape AND l.id = q.id AND l.level = q.level
    GROUP BY q.number
),
possible AS (
    SELECT
        m.*,
        CASE WHEN b.counts = 1 THEN b.n END AS at_level,
        COUNT(*) OVER (PARTITION BY m.shape, m.id) AS meanings,
        CASE WHEN m.words IS NULL THEN 1 ELSE LENGTH(m.words) END AS least,
        CASE WHEN m.words IS NULL THEN m.leaves_hi ELSE LENGTH(m.words) END AS most
    FROM meanings AS m
    LEFT JOIN ambiguous AS a ON a.shape = m.shape AND a.id = m.id
    LEFT JOIN by_level AS b ON b.number = m.number
    WHERE a.id IS NULL OR m.levels IS NULL OR m.whole OR b.levels IS NOT NULL
),
known AS (
    SELECT
        p.*, w.listed, w.ranked,
        COALESCE(p.at_level, c.n, 0) AS covered,
        CASE WHEN w.hidden IS NULL THEN p.least
            ELSE GREATEST(p.least, COALESCE(p.at_level, c.n, 0) - w.hidden) END AS low,
        p.meanings = 1 AND NOT p.whole AND COALESCE(p.at_level, c.n, 0) >= p.least
            AND COALESCE(COALESCE(p.at_level, c.n, 0) <= p.most, TRUE) AS counted
    FROM possible AS p
    JOIN ways AS w ON w.shape = p.shape
    LEFT JOIN labels_covered AS c ON c.shape = p.shape AND c.id = p.id
),
standing AS (
    SELECT
        k.shape, k.id, k.n, k.whole, k.ranked, k.has_bounds, k.width AS own_width,
        CASE WHEN k.counted AND NOT k.listed THEN k.low ELSE k.leaves_lo END AS leaves_lo,
        CASE WHEN k.counted AND NOT k.listed THEN k.covered ELSE k.leaves_hi END AS leaves_hi,
        CASE WHEN k.counted THEN k.low ELSE k.least END AS values_lo,
        CASE WHEN k.counted THEN k.covered ELSE k.most END AS values_hi
    FROM known AS k
)
SELECT
    s.shape, s.id, s.n, s.whole, s.leaves_lo, s.leaves_hi, s.values_lo, s.values_hi,
    CASE WHEN s.ranked AND NOT s.whole AND s.has_bounds AND s.values_lo = s.values_hi
        THEN s.values_lo - 1 ELSE s.own_width END AS width
FROM standing AS s
