{# How many rows each combination of values matches, where NULL matches anything: those of every
   pattern of NULLs that agree where neither is NULL.
   grain: one row per row of risk_cells
   in: risk_cells, pairs of patterns (own, other, shared: the positions of the columns that are NULL
       in neither)
   out: table risk_matched(person, n: rows, f: rows that match, p: f by what these stand for) #}
CREATE TABLE risk_matched AS
SELECT
    m.person,
    m.n,
    CAST(SUM(m.f) AS BIGINT) AS f,
    SUM(m.f) / SUM(m.members) AS p
FROM (
    {% for pair in pairs %}
    SELECT a.cell, a.person, a.n, b.f, b.members
    FROM risk_cells AS a
    JOIN (
        SELECT
            {{ pair.shared | each('c.v#,') }}
            SUM(c.n) AS f,
            SUM(c.members) AS members
        FROM risk_cells AS c
        WHERE c.pattern = {{ pair.other | integer }}
        {% if pair.shared %}
        GROUP BY {{ pair.shared | listed('c.v#') }}
        {% endif %}
    ) AS b
        ON {% if pair.shared %}{{ pair.shared | each('b.v# = a.v#', ' AND ') }}{% else %}TRUE{% endif +%}
    WHERE a.pattern = {{ pair.own | integer }}
    {% if not loop.last %}UNION ALL{% endif +%}
    {% endfor %}
) AS m
GROUP BY m.cell, m.person, m.n
