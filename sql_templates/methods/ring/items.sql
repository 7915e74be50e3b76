{# The cells in lexicographic order (Wong, Mamoulis, Cheung 2010, section 5.3.1); rows that differ
   in sensitive values only lie side by side.
   grain: one row per cell (and promise.extras)
   in: cells, places, ordered (the attributes by ascending number of values), promise
   out: table items(item: from 1, depth: the first attribute in which it differs from the one
       before, counted from 1; 0 where it differs in promise.extras alone, c1 … cn, p1 … pn: places,
       promise.extras, n) #}
CREATE TABLE items AS
SELECT
    ROW_NUMBER() OVER lexicographic AS item,
    CASE
        {{ ordered | each('WHEN COALESCE(LAG(o.p#) OVER lexicographic, 0) <> o.p# THEN $') }}
        ELSE 0
    END AS depth,
    {{ ordered | each('o.c#, o.p#,') }}
    {{ promise.extras | each('o.@,') }}
    o.n
FROM (
    SELECT
        {{ ordered | each('c.c#, CAST(t#.place AS INTEGER) AS p#,') }}
        {{ promise.extras | each('c.@,') }}
        c.n
    FROM cells AS c
    {{ ordered | each('JOIN places AS t# ON t#.attribute = # AND t#.code = c.c#') }}
) AS o
WINDOW lexicographic AS (
    ORDER BY {{ ordered | listed('o.p# NULLS FIRST') }}
        {{ promise.extras | each(', o.@ NULLS FIRST') }}
)
