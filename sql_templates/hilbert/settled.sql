{# The groups' portions of cells: between two neighbouring places where a cell or a group begins.
   grain: one row per portion
   in: line, begun(grp, first: its first row along the curve), attributes
   out: table settled(part, p1 … pn, first and last: which of the cell's rows) #}
CREATE TABLE settled AS
SELECT
    w.grp AS part
{% for a in attributes %}
    , l.p{{ a.index | integer }}
{% endfor %}
    , w.at - l.first + 1 AS first
    , CASE WHEN w.following <= l.last THEN w.following - 1 ELSE l.last END - l.first + 1 AS last
FROM (
    SELECT
        s.at,
        MAX(s.cell) OVER (ORDER BY s.at NULLS LAST) AS cell,
        MAX(s.grp) OVER (ORDER BY s.at NULLS LAST) AS grp,
        LEAD(s.at) OVER (ORDER BY s.at NULLS LAST) AS following
    FROM (
        SELECT q.at, MAX(q.cell) AS cell, MAX(q.grp) AS grp
        FROM (
            SELECT c.first AS at, c.cell, CAST(NULL AS BIGINT) AS grp
            FROM line AS c
            UNION ALL
            SELECT g.first, NULL, g.grp
            FROM begun AS g
        ) AS q
        GROUP BY q.at
    ) AS s
) AS w
JOIN line AS l ON l.cell = w.cell
