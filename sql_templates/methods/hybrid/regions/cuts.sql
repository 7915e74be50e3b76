{# The best cut into regions that are too small, of every region that is not: the one that sheds
   most loss for a row that has to be relocated. A side of k / 2 rows at most goes away whole, to
   where it hardly loses more than the other side does; any other needs the rows that it lacks.
   grain: one row per region that can be cut
   in: members, parts (their extents), candidates, places, attributes, forms, k
   out: table cuts(part, attribute, place: the last on the lower side, below, above: rows, needed:
       rows to be relocated, ratio: loss shed by all its rows for each of those, in millionths) #}
CREATE TABLE cuts AS
WITH {% with relaxed = false, k = 1 %}{% include 'methods/mondrian/lost.sql' %}{% endwith %},
sided AS (
    SELECT
        l.part, l.attribute, l.place, l.below,
        l.total - l.below AS above,
        l.total, l.before_cut,
        CASE WHEN 2 * l.below <= {{ k | integer }} THEN l.upper_side
            ELSE l.lower_side END AS lower_side,
        CASE WHEN 2 * (l.total - l.below) <= {{ k | integer }} THEN l.lower_side
            ELSE l.upper_side END AS upper_side,
        GREATEST(LEAST(l.below, {{ k | integer }} - l.below), 0)
            + GREATEST(LEAST(l.total - l.below, {{ k | integer }} - l.total + l.below), 0) AS needed
    FROM lost AS l
    WHERE l.total >= {{ k | integer }}
),
priced AS (
    SELECT
        s.part, s.attribute, s.place, s.below, s.above, s.needed,
        FLOOR((s.total * s.before_cut - s.below * s.lower_side - s.above * s.upper_side) / s.needed
            * 1000000.0 + 0.5) AS ratio
    FROM sided AS s
    WHERE s.needed > 0
),
ranked AS (
    SELECT
        p.part, p.attribute, p.place, p.below, p.above, p.needed, p.ratio,
        ROW_NUMBER() OVER (PARTITION BY p.part ORDER BY p.ratio DESC NULLS LAST,
            p.needed NULLS LAST, p.attribute NULLS LAST, p.place NULLS LAST) AS rank
    FROM priced AS p
    WHERE p.ratio > 0
)
SELECT r.part, r.attribute, r.place, r.below, r.above, r.needed, CAST(r.ratio AS BIGINT) AS ratio
FROM ranked AS r
WHERE r.rank = 1
