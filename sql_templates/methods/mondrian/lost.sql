{# What the rows of a part lose by an attribute before a cut and on both sides of it, at every place
   where it can be cut. Numbers outside the range that is measured, and NULL, lie at the ends of the
   order: a side has some if one of its own ends is one.
   grain: one row per part, attribute and place
   in: members, parts (their extents), candidates, places, attributes, forms {index: 'range', else
       values are counted}, k (the rows that each side must have), relaxed (whether the rows of the
       median may be divided, so that both sides have half)
   out: running and lost(part, attribute, place: the last on the lower side, upto: so many of its
       rows, below: rows on the lower side, total, before_cut, lower_side, upper_side), for the WITH
       of a statement #}
running AS (
{% for a in attributes %}
    SELECT
        s.part, # AS attribute, s.place, s.n, s.below,
        p.n AS total,
    {% if forms[a.index] == 'range' %}
        CASE WHEN b.x IS NULL OR e.x IS NULL THEN t.whole
            ELSE (e.x - b.x) * t.unit END AS before_cut,
        CASE
            WHEN s.place = p.lo# THEN 0
            WHEN b.x IS NULL OR t.x IS NULL THEN t.whole
            ELSE (t.x - b.x) * t.unit
        END AS lower_side,
        CASE
            WHEN s.following = p.hi# THEN 0
            WHEN f.x IS NULL OR e.x IS NULL THEN t.whole
            ELSE (e.x - f.x) * t.unit
        END AS upper_side
        {% if relaxed %}
        , CASE
            WHEN s.place = p.hi# THEN 0
            WHEN t.x IS NULL OR e.x IS NULL THEN t.whole
            ELSE (e.x - t.x) * t.unit
        END AS from_here
        {% endif %}
    {% else %}
        (s.distinct_places - 1) * t.unit AS before_cut,
        (s.rank - 1) * t.unit AS lower_side,
        (s.distinct_places - s.rank - 1) * t.unit AS upper_side
        {% if relaxed %}
        , (s.distinct_places - s.rank) * t.unit AS from_here
        {% endif %}
    {% endif %}
    FROM (
        SELECT
            c.part, c.place, c.n,
            CAST(SUM(c.n) OVER (PARTITION BY c.part ORDER BY c.place NULLS LAST
                ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS BIGINT) AS below,
        {% if forms[a.index] == 'range' %}
            LEAD(c.place) OVER (PARTITION BY c.part ORDER BY c.place NULLS LAST) AS following
        {% else %}
            ROW_NUMBER() OVER (PARTITION BY c.part ORDER BY c.place NULLS LAST) AS rank,
            COUNT(*) OVER (PARTITION BY c.part) AS distinct_places
        {% endif %}
        FROM (
            SELECT m.part, m.p# AS place, CAST(SUM(m.n) AS BIGINT) AS n
            FROM {{ members | ident }} AS m
            JOIN candidates AS k ON k.part = m.part AND k.attribute = #
            GROUP BY m.part, m.p#
        ) AS c
    ) AS s
    JOIN {{ parts | ident }} AS p ON p.part = s.part
    JOIN places AS t ON t.attribute = # AND t.place = s.place
    {% if forms[a.index] == 'range' %}
    JOIN places AS b ON b.attribute = # AND b.place = p.lo#
    JOIN places AS e ON e.attribute = # AND e.place = p.hi#
    LEFT JOIN places AS f ON f.attribute = # AND f.place = s.following
    {% endif %}
    {% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
),
lost AS (
    SELECT
        r.part, r.attribute, r.place,
        r.n AS upto,
        r.below, r.total, r.before_cut, r.lower_side, r.upper_side
    FROM running AS r
    WHERE r.below >= {{ k | integer }} AND r.total - r.below >= {{ k | integer }}
{% if relaxed %}
    UNION ALL
    SELECT
        r.part, r.attribute, r.place,
        r.half - r.below + r.n AS upto,
        r.half AS below,
        r.total, r.before_cut, r.lower_side,
        r.from_here AS upper_side
    FROM (SELECT t.*, CAST(FLOOR(t.total / 2.0) AS BIGINT) AS half FROM running AS t) AS r
    WHERE r.half >= {{ k | integer }} AND r.below > r.half AND r.below - r.n < r.half
{% endif %}
)
