-- name: counts
{# grain: one row per pattern
   in: combinations
   out: (pattern, rows) #}
SELECT t.pattern, CAST(SUM(t.n) AS BIGINT) AS n
FROM combinations AS t
GROUP BY t.pattern
ORDER BY t.pattern

-- name: first_members
{# The cells by the places of their values, in the parts to begin with: one for each pattern.
   grain: one row per cell
   in: cells, places, attributes
   out: table members_0(part, p1 … pn, n) #}
CREATE TABLE members_0 AS
SELECT
    c.part
    {{ attributes | each(', CAST(t#.place AS INTEGER) AS p#') }}
    , c.n
FROM cells AS c
{{ attributes | each('JOIN places AS t# ON t#.attribute = # AND t#.code = c.c#') }}

-- name: hidden_cells
{# grain: one row
   in: groups, hidden, semi
   out: for each semi-sensitive attribute the released cells that are hidden #}
SELECT
    {{ semi | listed('CAST(COALESCE(SUM(CASE WHEN z.h# = 1 THEN x.n END), 0) AS BIGINT) AS n#') }}
FROM hidden AS z
JOIN groups AS x ON x.grp = z.grp

-- name: kept_lent
{# The marked rows with what is lent of them.
   grain: one row per marked row
   in: lent_rows
   out: table marked, alike #}
CREATE TABLE marked AS
SELECT r.*
FROM lent_rows AS r

-- name: sizes
{# grain: one row
   in: groups
   out: (groups, rows of the smallest, rows in all, sum of squared sizes) #}
SELECT
    COUNT(*) AS classes,
    COALESCE(MIN(x.n), 0) AS min_class,
    CAST(COALESCE(SUM(x.n), 0) AS BIGINT) AS released,
    CAST(COALESCE(SUM(x.n * x.n), 0) AS BIGINT) AS squares
FROM groups AS x

-- name: tried
{# Whether a condition means anything over the source.
   grain: one row
   in: source, asked (a condition)
   out: the rows of which it is true #}
SELECT COUNT(*) AS satisfying
FROM {{ source | ident }} AS s
WHERE {{ asked | condition('s') }}

-- name: unknown
{# grain: one row
   in: marked, semi
   out: for each semi-sensitive attribute the rows of which nobody knows whether it is sensitive to
       them #}
SELECT {{ semi | listed('CAST(COALESCE(SUM(m.u#), 0) AS BIGINT) AS u#') }}
FROM marked AS m
