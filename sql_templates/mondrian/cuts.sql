{# The cuts to try: of every part and attribute the one that sheds most loss and, where the promise asks for more than
   rows, the one nearest the median, from the counts of values; by the median, that one alone, and it gains what its attribute is wide. Sides of fewer than k rows break every promise, and are not tried.
   grain: one row per cut
   in: counts, places, k, median (whether cuts are made there), balanced (whether to try it besides), relaxed (whether the rows of
       the median may be divided, so that both sides have half)
   out: table cuts(part, attribute, place: the last on the lower side, upto: so many of its rows,
        gain: mean loss shed, in steps of 1e-12, so that what sheds the same is a tie, below and above: rows) #}
CREATE TABLE cuts AS
WITH running AS (
    SELECT
        c.part,
        c.attribute,
        c.place,
        c.n,
        t.counted,
        t.unit,
        t.whole,
        CAST(SUM(c.n) OVER (PARTITION BY c.part, c.attribute ORDER BY c.place NULLS LAST) AS BIGINT) AS below,
        CAST(SUM(c.n) OVER (PARTITION BY c.part, c.attribute) AS BIGINT) AS total,
        ROW_NUMBER() OVER (PARTITION BY c.part, c.attribute ORDER BY c.place NULLS LAST) AS rank,
        COUNT(*) OVER (PARTITION BY c.part, c.attribute) AS distinct_places,
        COUNT(t.x) OVER (PARTITION BY c.part, c.attribute ORDER BY c.place NULLS LAST) AS numbers_below,
        COUNT(t.x) OVER (PARTITION BY c.part, c.attribute) AS numbers,
        MIN(t.x) OVER (PARTITION BY c.part, c.attribute) AS least,
        t.x,
        LEAD(t.x) OVER (PARTITION BY c.part, c.attribute ORDER BY c.place NULLS LAST) AS following,
        MAX(t.x) OVER (PARTITION BY c.part, c.attribute) AS greatest
    FROM counts AS c
    JOIN places AS t ON t.attribute = c.attribute AND t.place = c.place
),
lost AS (
    SELECT
        r.part,
        r.attribute,
        r.place,
        r.n AS upto,
        r.below,
        r.total,
        CASE
            WHEN r.distinct_places = 1 THEN 0
            WHEN r.counted THEN (r.distinct_places - 1) * r.unit
            WHEN r.numbers < r.distinct_places THEN r.whole
            ELSE (r.greatest - r.least) * r.unit
        END AS before_cut,
        CASE
            WHEN r.rank = 1 THEN 0
            WHEN r.counted THEN (r.rank - 1) * r.unit
            WHEN r.numbers_below < r.rank THEN r.whole
            ELSE (r.x - r.least) * r.unit
        END AS lower_side,
        CASE
            WHEN r.rank = r.distinct_places - 1 THEN 0
            WHEN r.counted THEN (r.distinct_places - r.rank - 1) * r.unit
            WHEN r.numbers - r.numbers_below < r.distinct_places - r.rank THEN r.whole
            ELSE (r.greatest - r.following) * r.unit
        END AS upper_side
    FROM running AS r
    WHERE r.rank < r.distinct_places AND r.below >= {{ k | integer }} AND r.total - r.below >= {{ k | integer }}
{% if relaxed %}
    UNION ALL
    SELECT
        r.part,
        r.attribute,
        r.place,
        r.half - r.below + r.n AS upto,
        r.half AS below,
        r.total,
        CASE
            WHEN r.counted THEN (r.distinct_places - 1) * r.unit
            WHEN r.numbers < r.distinct_places THEN r.whole
            ELSE (r.greatest - r.least) * r.unit
        END AS before_cut,
        CASE
            WHEN r.rank = 1 THEN 0
            WHEN r.counted THEN (r.rank - 1) * r.unit
            WHEN r.numbers_below < r.rank THEN r.whole
            ELSE (r.x - r.least) * r.unit
        END AS lower_side,
        CASE
            WHEN r.rank = r.distinct_places THEN 0
            WHEN r.counted THEN (r.distinct_places - r.rank) * r.unit
            WHEN r.x IS NULL OR r.numbers - r.numbers_below < r.distinct_places - r.rank THEN r.whole
            ELSE (r.greatest - r.x) * r.unit
        END AS upper_side
    FROM (SELECT t.*, CAST(FLOOR(t.total / 2.0) AS BIGINT) AS half FROM running AS t) AS r
    WHERE r.distinct_places > 1 AND r.half >= {{ k | integer }} AND r.below > r.half AND r.below - r.n < r.half
{% endif %}
),
gains AS (
    SELECT
        l.part,
        l.attribute,
        l.place,
        l.upto,
        l.below,
        l.total - l.below AS above,
    {% if median %}
        FLOOR(l.before_cut * 1000000000000.0 + 0.5) AS gain
    {% else %}
        FLOOR((l.before_cut - (l.below * l.lower_side + (l.total - l.below) * l.upper_side) / l.total) * 1000000000000.0 + 0.5) AS gain
    {% endif %}
    FROM lost AS l
),
ranked AS (
    SELECT
        g.part,
        g.attribute,
        g.place,
        g.upto,
        g.gain,
        g.below,
        g.above,
    {% if balanced or median %}
        ROW_NUMBER() OVER (PARTITION BY g.part, g.attribute ORDER BY ABS(g.above - g.below) NULLS LAST, g.place NULLS LAST, g.upto NULLS LAST) AS by_balance,
    {% endif %}
        ROW_NUMBER() OVER (PARTITION BY g.part, g.attribute ORDER BY g.gain DESC NULLS LAST, g.place NULLS LAST, g.upto NULLS LAST) AS by_gain
    FROM gains AS g
)
SELECT b.part, b.attribute, b.place, b.upto, b.gain, b.below, b.above
FROM ranked AS b
WHERE {% if median %}b.by_balance = 1{% else %}b.by_gain = 1{% if balanced %} OR b.by_balance = 1{% endif %}{% endif +%}
