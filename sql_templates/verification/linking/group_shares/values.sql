{# How many rows of the source have each value of the columns that a limit to losses is about, and
   between which limits the number of those lies that are released. Released rows whose sensitive
   value is none of the source's may be any value's.
   grain: one row per column and value, NULL being a value like another
   in: judged_cells and judged_tuples by labels, joined: judged_matches_<steps>, judged_tuple_steps,
       judged_cell_steps; attributes with dim_<index>, steps; sensitive [(number, facet)] with
       judged_values_<number>, linked_cells, linked_tuples
   out: table group_shares(number: of a sensitive column less than 0, value, n, least, most) #}
CREATE TABLE group_shares AS
WITH
pairs AS (
    SELECT m.cell, m.tuple, c.n AS originals, t.n AS released
    FROM judged_matches_{{ steps | integer }} AS m
    JOIN judged_cell_steps AS c ON c.p{{ steps | integer }} = m.cell
    JOIN judged_tuple_steps AS t ON t.p{{ steps | integer }} = m.tuple
),
in_all AS (
    SELECT p.tuple, SUM(p.originals) AS n FROM pairs AS p GROUP BY p.tuple
)
{% for a in attributes %}
, groups_# AS (
    SELECT c.p{{ steps | integer }} AS cell, c.n, COALESCE(d.g{{ a.min_level | integer }}, 0) AS code
    FROM judged_cell_steps AS c
    LEFT JOIN dim_# AS d ON d.code = c.v#
),
tuples_# AS (
    SELECT
        u.code,
        CAST(SUM(CASE WHEN u.n < u.released THEN u.n ELSE u.released END) AS BIGINT) AS most,
        CAST(SUM(CASE WHEN u.released > e.n - u.n THEN u.released - e.n + u.n ELSE 0 END)
            AS BIGINT) AS least
    FROM (
        SELECT g.code, p.tuple, MAX(p.released) AS released, SUM(p.originals) AS n
        FROM pairs AS p
        JOIN groups_# AS g ON g.cell = p.cell
        GROUP BY g.code, p.tuple
    ) AS u
    JOIN in_all AS e ON e.tuple = u.tuple
    GROUP BY u.code
),
cells_# AS (
    SELECT
        g.code,
        CAST(SUM(g.n) AS BIGINT) AS n,
        CAST(SUM(CASE WHEN g.n < COALESCE(r.n, 0) THEN g.n ELSE COALESCE(r.n, 0) END)
            AS BIGINT) AS most
    FROM groups_# AS g
    LEFT JOIN (
        SELECT p.cell, SUM(p.released) AS n FROM pairs AS p GROUP BY p.cell
    ) AS r ON r.cell = g.cell
    GROUP BY g.code
)
{% endfor %}
{% for a in attributes %}
SELECT
    # AS number,
    CAST(b.v{{ a.min_level | integer }} AS VARCHAR) AS value,
    c.n,
    COALESCE(t.least, 0) AS least,
    CASE WHEN COALESCE(t.most, 0) < c.most THEN COALESCE(t.most, 0) ELSE c.most END AS most
FROM cells_# AS c
LEFT JOIN tuples_# AS t ON t.code = c.code
LEFT JOIN dim_# AS b ON b.code = c.code
{% if sensitive or not loop.last %}UNION ALL{% endif +%}
{% endfor %}
{% for number, facet in sensitive %}
SELECT
    -{{ number | integer }} AS number,
    CAST(w.value AS VARCHAR) AS value,
    s.n,
    COALESCE(r.n, 0) AS least,
    COALESCE(r.n, 0) + o.n AS most
FROM (
    SELECT c.v{{ facet | integer }} AS x, CAST(SUM(c.n) AS BIGINT) AS n
    FROM linked_cells AS c
    GROUP BY c.v{{ facet | integer }}
) AS s
LEFT JOIN (
    SELECT t.v{{ facet | integer }} AS x, CAST(SUM(t.n) AS BIGINT) AS n
    FROM linked_tuples AS t
    GROUP BY t.v{{ facet | integer }}
) AS r ON r.x = s.x
LEFT JOIN judged_values_{{ number | integer }} AS w ON w.x = s.x
CROSS JOIN (
    SELECT CAST(COALESCE(SUM(t.n), 0) AS BIGINT) AS n
    FROM linked_tuples AS t
    WHERE t.v{{ facet | integer }} = -1
) AS o
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
