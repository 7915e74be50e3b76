{# The cut of every line whose two sides lose least together.
   grain: one row per part that is cut
   in: stretches, seeds_1, seeds_2, attributes, forms, k, total (of the weights), share (a side
       with less than one in so many of the rows comes last)
   out: table cuts(part, stretch: the last below the cut, rank: from 1) #}
{% from 'methods/local/greedy_partition/macros.sql' import box %}
CREATE TABLE cuts AS
WITH sides AS (
    SELECT
        t.part, t.stretch,
        CAST(SUM(t.n) OVER up_to AS BIGINT) AS below,
        CAST(SUM(t.n) OVER (PARTITION BY t.part) AS BIGINT) AS total
    {% for a in attributes %}
        , MIN(t.lo#) OVER up_to AS lo#
        , MAX(t.hi#) OVER up_to AS hi#
        , MIN(t.lo#) OVER from_on AS from#
        , MAX(t.hi#) OVER from_on AS upto#
    {% endfor %}
    FROM stretches AS t
    WINDOW
        up_to AS (PARTITION BY t.part ORDER BY t.stretch NULLS LAST
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW),
        from_on AS (PARTITION BY t.part ORDER BY t.stretch NULLS LAST
            ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)
),
losses AS (
    SELECT
        d.part, d.stretch, d.below, d.total,
        {{ box(attributes, forms, 'd', 'lo', 'hi', 's') }}
        AS lower_side,
        {{ box(attributes, forms, 'd', 'from', 'upto', 'e') }}
        AS from_here
    FROM sides AS d
    JOIN seeds_1 AS s ON s.part = d.part
    JOIN seeds_2 AS e ON e.part = d.part
),
whole AS (
    SELECT
        l.part, l.stretch, l.below,
        l.total - l.below AS above,
        l.total, l.lower_side,
        LEAD(l.from_here) OVER (PARTITION BY l.part ORDER BY l.stretch NULLS LAST) AS upper_side
    FROM losses AS l
),
ranked AS (
    SELECT
        b.part, b.stretch,
        ROW_NUMBER() OVER (
            PARTITION BY b.part
            ORDER BY
                CASE WHEN LEAST(b.below, b.above) * {{ share | integer }} < b.total THEN 1
                    ELSE 0 END NULLS LAST,
                FLOOR((b.below * b.lower_side + b.above * b.upper_side) / b.total
                    / CAST({{ total | literal }} AS DOUBLE) * 1000000000 + 0.5) NULLS LAST,
                b.stretch NULLS LAST
        ) AS place
    FROM whole AS b
    WHERE b.below >= {{ k | integer }} AND b.above >= {{ k | integer }}
)
SELECT r.part, r.stretch, ROW_NUMBER() OVER (ORDER BY r.part NULLS LAST) AS rank
FROM ranked AS r
WHERE r.place = 1
