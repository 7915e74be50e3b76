{# What the rows of a part lose by an attribute before a cut and on both sides of it, at every place
   where it can be cut.
   grain: one row per part, attribute and place
   in: counts, places, k (the rows that each side must have), relaxed (whether the rows of the
       median may be divided, so that both sides have half)
   out: running, weighed and lost(part, attribute, place: the last on the lower side, upto: so many
       of its rows, below: rows on the lower side, total, before_cut, lower_side, upper_side), for
       the WITH of a statement #}
running AS (
    SELECT
        c.part, c.attribute, c.place, c.n, t.counted, t.unit, t.whole,
        CAST(SUM(c.n) OVER (PARTITION BY c.part, c.attribute
            ORDER BY c.place NULLS LAST
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS BIGINT) AS below,
        CAST(SUM(c.n) OVER (PARTITION BY c.part, c.attribute) AS BIGINT) AS total,
        ROW_NUMBER() OVER (PARTITION BY c.part, c.attribute ORDER BY c.place NULLS LAST) AS rank,
        COUNT(*) OVER (PARTITION BY c.part, c.attribute) AS distinct_places,
        COUNT(t.x) OVER (PARTITION BY c.part, c.attribute
            ORDER BY c.place NULLS LAST
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS numbers_below,
        COUNT(t.x) OVER (PARTITION BY c.part, c.attribute) AS numbers,
        MIN(t.x) OVER (PARTITION BY c.part, c.attribute) AS least,
        t.x,
        LEAD(t.x) OVER (PARTITION BY c.part, c.attribute ORDER BY c.place NULLS LAST) AS following,
        MAX(t.x) OVER (PARTITION BY c.part, c.attribute) AS greatest
    FROM counts AS c
    JOIN places AS t ON t.attribute = c.attribute AND t.place = c.place
),
weighed AS (
    SELECT
        r.*,
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
        END AS lower_side
    FROM running AS r
),
lost AS (
    SELECT
        r.part, r.attribute, r.place,
        r.n AS upto,
        r.below, r.total,
        r.before_cut, r.lower_side,
        CASE
            WHEN r.rank = r.distinct_places - 1 THEN 0
            WHEN r.counted THEN (r.distinct_places - r.rank - 1) * r.unit
            WHEN r.numbers - r.numbers_below < r.distinct_places - r.rank THEN r.whole
            ELSE (r.greatest - r.following) * r.unit
        END AS upper_side
    FROM weighed AS r
    WHERE r.rank < r.distinct_places AND r.below >= {{ k | integer }}
        AND r.total - r.below >= {{ k | integer }}
{% if relaxed %}
    UNION ALL
    SELECT
        r.part, r.attribute, r.place,
        r.half - r.below + r.n AS upto,
        r.half AS below,
        r.total,
        r.before_cut, r.lower_side,
        CASE
            WHEN r.rank = r.distinct_places THEN 0
            WHEN r.counted THEN (r.distinct_places - r.rank) * r.unit
            WHEN r.x IS NULL
                OR r.numbers - r.numbers_below < r.distinct_places - r.rank THEN r.whole
            ELSE (r.greatest - r.x) * r.unit
        END AS upper_side
    FROM (SELECT t.*, CAST(FLOOR(t.total / 2.0) AS BIGINT) AS half FROM weighed AS t) AS r
    WHERE r.distinct_places > 1 AND r.half >= {{ k | integer }} AND r.below > r.half
        AND r.below - r.n < r.half
{% endif %}
)