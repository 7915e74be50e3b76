{# The region that the rows of every cell are released in, and the one that they come from.
   grain: one row per cell, or portion of one when split
   in: spots, places, fates(part, target: the same where it does not move as a whole), taken when split, attributes, split (whether
       cells are divided)
   out: table assigned(c1 … cn, grp, home, first and last when split) #}
CREATE TABLE assigned AS
SELECT
{% for a in attributes %}
    t{{ a.index | integer }}.code AS c{{ a.index | integer }},
{% endfor %}
    m.grp,
    m.home
{% if split %}
    , m.first
    , m.last
{% endif %}
FROM (
    SELECT f.target AS grp, s.part AS home{% for a in attributes %}, s.p{{ a.index | integer }}{% endfor %}{% if split %}, COALESCE(g.n, 0) + 1 AS first, s.n AS last{% endif +%}
    FROM spots AS s
    JOIN fates AS f ON f.part = s.part
{% if split %}
    LEFT JOIN taken AS g
        ON g.part = s.part{% for a in attributes %} AND g.p{{ a.index | integer }} = s.p{{ a.index | integer }}{% endfor +%}
    WHERE COALESCE(g.n, 0) < s.n
    UNION ALL
    SELECT g.target AS grp, g.part AS home{% for a in attributes %}, g.p{{ a.index | integer }}{% endfor %}, CAST(1 AS BIGINT) AS first, g.n AS last
    FROM taken AS g
{% endif %}
) AS m
{% for a in attributes %}
JOIN places AS t{{ a.index | integer }} ON t{{ a.index | integer }}.attribute = {{ a.index | integer }} AND t{{ a.index | integer }}.place = m.p{{ a.index | integer }}
{% endfor %}
