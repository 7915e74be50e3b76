{# The region that the rows of every cell are released in, and the one that they come from.
   grain: one row per cell, or portion of one when split
   in: spots, places, fates(part, target: the same where it does not move as a whole), taken when
       split, attributes, split (whether cells are divided)
   out: table assigned(c1 … cn, grp, home, first and last when split) #}
CREATE TABLE assigned AS
SELECT
    {{ attributes | each('t#.code AS c#,') }}
    m.grp, m.home
{% if split %}
    , m.first, m.last
{% endif %}
FROM (
    SELECT f.target AS grp,
        s.part AS home{{ attributes | each(', s.p#') }}{% if split %},
        COALESCE(g.n, 0) + 1 AS first, s.n AS last{% endif +%}
    FROM spots AS s
    JOIN fates AS f ON f.part = s.part
{% if split %}
    LEFT JOIN taken AS g
        ON g.part = s.part {{ attributes | each('AND g.p# = s.p#') }}
    WHERE COALESCE(g.n, 0) < s.n
    UNION ALL
    SELECT g.target AS grp, g.part AS home{{ attributes | each(', g.p#') }},
        CAST(1 AS BIGINT) AS first, g.n AS last
    FROM taken AS g
{% endif %}
) AS m
{{ attributes | each('JOIN places AS t# ON t#.attribute = # AND t#.place = m.p#') }}
