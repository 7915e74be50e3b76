{# Which group every cell's rows fall to. The rows of a group (by sensitive values where the promise
   is about such) stand in a line, cell by cell in an order that only a secret salt knows; the
   stretches of the line that fall elsewhere are given.
   grain: one row per cell, or portion of one
   in: cells, dim_<index>, node_groups (of one node), stretches(home, promise.extras,
       target: -1 where suppressed, first, last: places in the line, from 1), levels {index: level},
       attributes, promise, fresh_salt
   out: table assigned(c1 … cn, promise.extras, grp, home, first, last) #}
CREATE TABLE assigned AS
WITH lined AS (
    SELECT
        {{ attributes | each('b.c#,') }}
        {{ promise.extras | each('b.@,') }}
        h.grp AS home,
        b.n,
        CAST(SUM(b.n) OVER (
            PARTITION BY h.grp{{ promise.extras | each(', b.@') }}
            ORDER BY
                MD5((SELECT z.salt FROM fresh_salt AS z) || CAST(b.cell AS VARCHAR)) NULLS FIRST,
                b.cell NULLS FIRST
        ) AS BIGINT) AS upto
    FROM (
        SELECT CAST(ROW_NUMBER() OVER () AS BIGINT) AS cell, t.* FROM cells AS t
    ) AS b
    {{ attributes | each('JOIN dim_# AS d# ON d#.code = b.c#') }}
    JOIN node_groups AS h
        ON
        {% for a in attributes %}
            h.c# = d#.g{{ levels[a.index] | integer }}
            {% if not loop.last %}AND{% endif +%}
        {% endfor %}
)
SELECT
    {{ attributes | each('l.c#,') }}
    {{ promise.extras | each('l.@,') }}
    CASE WHEN s.home IS NULL THEN l.home ELSE s.target END AS grp,
    l.home,
    CASE WHEN s.home IS NULL THEN 1 ELSE GREATEST(s.first - (l.upto - l.n), 1) END AS first,
    CASE WHEN s.home IS NULL THEN l.n ELSE LEAST(s.last - (l.upto - l.n), l.n) END AS last
FROM lined AS l
LEFT JOIN stretches AS s
    ON s.home = l.home
    {{ promise.extras | each('AND s.@ = l.@') }}
    AND s.first <= l.upto
    AND s.last > l.upto - l.n
WHERE COALESCE(s.target, 0) >= 0
