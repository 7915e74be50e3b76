{# The class of a release in which each combination of the source's values may be, and whether its
   rows are in it. Where the class has fewer released rows than rows fit it, kept values decide, if
   every released row of the class has those of a row that fits: rows whose kept values no released
   row has are not in it, and those of which as many are released as fit are. All others are open:
   so many of a block are in it (m), of so many (b), and which is not known. A block is the rows of
   a class with equal kept values, or the whole class.
   grain: one row per combination that fits a class
   in: attacked_source(id, v<facet>, n), attacked_release(v<facet>, n), judged_matches_<steps>,
       judged_tuple_steps, judged_cell_steps, steps, known (the columns v<facet> that name classes),
       kept (those of kept values), facets (both)
   out: table together_placed(v<facet>, n, class, is_out: 0 or 1, block: 0 where nothing is open, -1
       the class, m, b) #}
CREATE TABLE together_placed AS
WITH cells AS (
    SELECT s.*, t.id AS class
    FROM (
        SELECT MIN(a.id) AS id, {{ facets | idents('a') }}, CAST(SUM(a.n) AS BIGINT) AS n
        FROM attacked_source AS a
        GROUP BY {{ facets | idents('a') }}
    ) AS s
    JOIN judged_cell_steps AS c ON {{ known | each('c.@ = s.@', ' AND ') }}
    JOIN judged_matches_{{ steps | integer }} AS j ON j.cell = c.p{{ steps | integer }}
    JOIN judged_tuple_steps AS t ON t.p{{ steps | integer }} = j.tuple
),
counted AS (
    SELECT
        g.class,
        {{ kept | each('g.@,') }}
        CAST(SUM(g.fitting) AS BIGINT) AS fitting,
        CAST(SUM(g.shown) AS BIGINT) AS shown,
        MIN(g.id) AS block
    FROM (
        SELECT c.class, {{ kept | each('c.@,') }} c.id, c.n AS fitting, 0 AS shown
        FROM cells AS c
        UNION ALL
        SELECT t.id AS class, {{ kept | each('r.@,') }} NULL AS id, 0 AS fitting, r.n AS shown
        FROM attacked_release AS r
        JOIN judged_tuples AS t ON {{ known | each('t.@ = r.@', ' AND ') }}
    ) AS g
    GROUP BY g.class{% if kept %}, {{ kept | idents('g') }}{% endif +%}
),
classes AS (
    SELECT
        c.class,
        SUM(c.fitting) AS fitting,
        SUM(c.shown) AS shown,
        MAX(CASE WHEN c.shown > c.fitting THEN 1 ELSE 0 END) AS doubt
    FROM counted AS c
    GROUP BY c.class
),
judged AS (
    SELECT
        c.*,
        CASE
            WHEN k.shown >= k.fitting THEN 0
            WHEN k.doubt = 1 THEN -1
            WHEN c.shown = 0 OR c.shown = c.fitting THEN 0
            ELSE c.block
        END AS open,
        CASE WHEN k.shown < k.fitting AND k.doubt = 0 AND c.shown = 0 THEN 1 ELSE 0 END AS is_out,
        k.shown AS all_shown,
        k.fitting AS all_fitting
    FROM counted AS c
    JOIN classes AS k ON k.class = c.class
)
SELECT
    {{ facets | idents('c') }},
    c.n,
    c.class,
    u.is_out,
    CAST(u.open AS BIGINT) AS block,
    CAST(CASE WHEN u.open < 0 THEN u.all_shown ELSE u.shown END AS BIGINT) AS m,
    CAST(CASE WHEN u.open < 0 THEN u.all_fitting ELSE u.fitting END AS BIGINT) AS b
FROM cells AS c
JOIN judged AS u ON u.class = c.class{{ kept | each(' AND u.@ = c.@', '') }}
