{# The cells along the Hilbert curve; those that differ in sensitive values only lie side by side.
   grain: one row per cell (and promise.extras)
   in: table (points), cells, places, attributes, keys (columns h…, highest level first), promise
   out: table items(item: from 1, depth: 1 for the first of its point, 0 for others, c1 … cn, p1 …
       pn: places, promise.extras, n) #}
CREATE TABLE items AS
SELECT
    ROW_NUMBER() OVER (ORDER BY o.point NULLS LAST{{ promise.extras | each(', o.@ NULLS FIRST') }})
        AS item,
    CASE
        WHEN COALESCE(LAG(o.point) OVER (
            ORDER BY o.point NULLS LAST{{ promise.extras | each(', o.@ NULLS FIRST') }}
        ), 0) <> o.point
        THEN 1 ELSE 0
    END AS depth,
    {{ attributes | each('o.c#, o.p#,') }}
    {{ promise.extras | each('o.@,') }}
    o.n
FROM (
    SELECT
        q.point,
        {{ attributes | each('c.c#, CAST(q.p# AS INTEGER) AS p#,') }}
        {{ promise.extras | each('c.@,') }}
        c.n
    FROM cells AS c
    {{ attributes | each('JOIN places AS t# ON t#.attribute = # AND t#.code = c.c#') }}
    JOIN (
        SELECT
            {{ attributes | each('h.p#,') }}
            ROW_NUMBER() OVER (ORDER BY {{ keys | listed('h.@ NULLS LAST') }}) AS point
        FROM {{ table | ident }} AS h
    ) AS q ON {{ attributes | each('q.p# = t#.place', ' AND ') }}
) AS o
