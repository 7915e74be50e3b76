{# The cuts to try: of every part and attribute the one that sheds most loss and, where the promise
   asks for more than rows, the one nearest the median, from the counts of values; by the median,
   that one alone, and it gains what its attribute is wide. Sides of fewer than k rows break every
   promise, and are not tried.
   grain: one row per cut
   in: members, parts (their extents), candidates, places, attributes, forms, k, median (whether
       cuts are made there), balanced (whether to try it besides), relaxed (whether the rows of the
       median may be divided, so that both sides have half)
   out: table cuts(part, attribute, place: the last on the lower side, upto: so many of its rows,
       gain: mean loss shed, in steps of 1e-12, so that what sheds the same is a tie, below and
       above: rows) #}
CREATE TABLE cuts AS
WITH {% include 'methods/mondrian/lost.sql' %},
gains AS (
    SELECT
        l.part, l.attribute, l.place, l.upto, l.below,
        l.total - l.below AS above,
    {% if median %}
        FLOOR(l.before_cut * 1000000000000.0 + 0.5) AS gain
    {% else %}
        FLOOR((l.before_cut - (l.below * l.lower_side + (l.total - l.below) * l.upper_side)
            / l.total) * 1000000000000.0 + 0.5) AS gain
    {% endif %}
    FROM lost AS l
),
bests AS (
    SELECT g.part, g.attribute, MAX(g.gain) AS gain, MIN(ABS(g.above - g.below)) AS apart
    FROM gains AS g
    GROUP BY g.part, g.attribute
),
ranked AS (
    SELECT
        g.part, g.attribute, g.place, g.upto, g.gain, g.below, g.above,
    {% if balanced or median %}
        ROW_NUMBER() OVER (PARTITION BY g.part, g.attribute
            ORDER BY ABS(g.above - g.below) NULLS LAST, g.place NULLS LAST,
            g.upto NULLS LAST) AS by_balance,
    {% endif %}
        ROW_NUMBER() OVER (PARTITION BY g.part, g.attribute ORDER BY g.gain DESC NULLS LAST,
            g.place NULLS LAST, g.upto NULLS LAST) AS by_gain
    FROM gains AS g
    JOIN bests AS b ON b.part = g.part AND b.attribute = g.attribute
        AND (b.gain = g.gain{% if balanced or median %} OR b.apart = ABS(g.above - g.below){% endif
            %})
)
SELECT b.part, b.attribute, b.place, b.upto, b.gain, b.below, b.above
FROM ranked AS b
{% if median %}
WHERE b.by_balance = 1
{% else %}
WHERE b.by_gain = 1{% if balanced %} OR b.by_balance = 1{% endif +%}
{% endif %}
