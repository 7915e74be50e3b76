{# The next round's parts where the rows of a place may be divided: the first of them, by the cells'
   places, go to the lower side.
   grain: one row per cell or portion of one
   in: members, chosen, closed, attributes, after (the greatest number of a part so far), table
   out: table <table>(part, p1 … pn, first, last, n, stuck) #}
CREATE TABLE {{ table | ident }} AS
SELECT
    CASE WHEN d.rank IS NULL THEN d.part
        ELSE {{ after | integer }} + 2 * d.rank - 1 + s.side END AS part
    {{ attributes | each(', d.p#') }}
    , CASE WHEN s.side = 0 THEN d.first ELSE d.first + d.low END AS first
    , CASE WHEN s.side = 0 THEN d.first + d.low - 1 ELSE d.last END AS last
    , CASE WHEN s.side = 0 THEN d.low ELSE d.n - d.low END AS n
    , CASE WHEN d.rank IS NULL THEN 1 ELSE 0 END AS stuck
FROM (
    SELECT
        o.*,
        CASE
            WHEN o.rank IS NULL OR o.at < o.place THEN o.n
            WHEN o.at > o.place THEN 0
            ELSE LEAST(GREATEST(o.upto - (CAST(SUM(o.n) OVER (
                PARTITION BY o.part, o.at
                ORDER BY {{ attributes | each('o.p# NULLS LAST,') }} o.first NULLS LAST
            ) AS BIGINT) - o.n), 0), o.n)
        END AS low
    FROM (
        SELECT
            m.*,
            h.rank, h.place, h.upto,
            CASE h.attribute
                {{ attributes | each('WHEN # THEN m.p#') }}
            END AS at
        FROM {{ members | ident }} AS m
        LEFT JOIN chosen AS h ON h.part = m.part
        LEFT JOIN closed AS e ON e.part = m.part
        WHERE e.part IS NULL
    ) AS o
) AS d
CROSS JOIN (VALUES (0), (1)) AS s (side)
WHERE (s.side = 0 AND d.low > 0) OR (s.side = 1 AND d.low < d.n)
