{# The rows of the source by class at the released levels, and how many of them are released.
   grain: one row per class
   in: judged_matches_<steps>, judged_tuple_steps, judged_cell_steps, steps, attributes with
       dim_<index>, levels (by attribute)
   out: (rows, released rows, combinations of values, pairs of these with released ones, released
       combinations) #}
WITH cells AS (
    SELECT
        {{ attributes | each('COALESCE(d#.own, 0) AS w#,') }}
        c.p{{ steps | integer }} AS cell,
        c.n
    FROM judged_cell_steps AS c
    {% for a in attributes %}
    LEFT JOIN (SELECT b.code, b.g{{ levels[a.index] | integer }} AS own FROM dim_# AS b) AS d#
        ON d#.code = c.v#
    {% endfor %}
),
parts AS (
    SELECT {{ attributes | listed('c.w#') }}, t.id, MAX(t.n) AS n, COUNT(*) AS pairs
    FROM cells AS c
    JOIN judged_matches_{{ steps | integer }} AS m ON m.cell = c.cell
    JOIN judged_tuple_steps AS t ON t.p{{ steps | integer }} = m.tuple
    GROUP BY {{ attributes | listed('c.w#') }}, t.id
)
SELECT
    s.n,
    CAST(COALESCE(r.n, 0) AS BIGINT) AS released,
    s.members,
    CAST(COALESCE(r.pairs, 0) AS BIGINT) AS pairs,
    COALESCE(r.tuples, 0) AS tuples
FROM (
    SELECT {{ attributes | listed('c.w#') }}, CAST(SUM(c.n) AS BIGINT) AS n, COUNT(*) AS members
    FROM cells AS c
    GROUP BY {{ attributes | listed('c.w#') }}
) AS s
LEFT JOIN (
    SELECT
        {{ attributes | each('p.w#,') }}
        SUM(p.n) AS n,
        SUM(p.pairs) AS pairs,
        COUNT(*) AS tuples
    FROM parts AS p
    GROUP BY {{ attributes | listed('p.w#') }}
) AS r ON {{ attributes | each('r.w# = s.w#', ' AND ') }}
