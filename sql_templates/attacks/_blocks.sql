-- name: alone
{# Released rows whose values in some columns no other released row has, or no other person.
   grain: one row per such row, or person
   in: table (of released rows), facets (columns v<facet>), linked (whether who is there: which of the
       rows are one person's)
   out: (id of its combination) #}
SELECT MIN(t.id) AS id
FROM {{ table | ident }} AS t
GROUP BY {{ facets | idents('t') }}
HAVING {% if linked %}COUNT(DISTINCT t.who){% else %}SUM(t.n){% endif %} = 1
ORDER BY id

-- name: combined
{# Rows by some of what is compared, numbered.
   grain: one row per distinct combination of the facets
   in: table (with the facets, n), made (the new table's name), facets (columns v<facet>)
   out: table made(id: from 1, v<facet>, n) #}
CREATE TABLE {{ made | ident }} AS
SELECT
    ROW_NUMBER() OVER (ORDER BY {{ facets | listed('t.@ NULLS FIRST') }}) AS id,
    {{ facets | idents('t') }},
    CAST(SUM(t.n) AS BIGINT) AS n
FROM {{ table | ident }} AS t
GROUP BY {{ facets | idents('t') }}

-- name: equal
{# How many rows, or people, have the very values of each predicate.
   grain: one row per predicate that a row satisfies
   in: judged_tuples(id, v<facet>), table (with the facets, n), facets (columns v<facet>), people
       (whether people are counted: who)
   out: (id, rows or people) #}
SELECT g.id, {% if people %}COUNT(DISTINCT t.who){% else %}CAST(SUM(t.n) AS BIGINT){% endif %} AS n
FROM judged_tuples AS g
JOIN {{ table | ident }} AS t ON {{ facets | each('t.@ = g.@', ' AND ') }}
GROUP BY g.id
ORDER BY g.id

-- name: hits
{# How many rows, or people, satisfy each predicate.
   grain: one row per predicate that a row satisfies
   in: judged_matches_<steps>, judged_tuple_steps, judged_cell_steps, steps, people (whether people are
       counted: who)
   out: (id, rows or people) #}
SELECT t.id, {% if people %}COUNT(DISTINCT c.who){% else %}CAST(SUM(c.n) AS BIGINT){% endif %} AS n
FROM judged_matches_{{ steps | integer }} AS m
JOIN judged_tuple_steps AS t ON t.p{{ steps | integer }} = m.tuple
JOIN judged_cell_steps AS c ON c.p{{ steps | integer }} = m.cell
GROUP BY t.id
ORDER BY t.id

-- name: same
{# Values that stand for themselves: of a draw, or of rows in which they were kept.
   grain: one row per value
   in: attacked_release, facet
   out: table covers_<facet>(label, code) #}
CREATE TABLE {{ ('covers_' ~ facet) | ident }} AS
SELECT DISTINCT t.v{{ facet | integer }} AS label, t.v{{ facet | integer }} AS code
FROM attacked_release AS t
WHERE t.v{{ facet | integer }} >= 0

-- name: targets
{# The people who are looked for: combinations of values that were drawn.
   grain: one row per drawn combination
   in: table (combinations with their id), attacked_picked(id, n: how often it was drawn), facets
       (columns v<facet>)
   out: table judged_cells(id, v<facet>, n) #}
CREATE TABLE judged_cells AS
SELECT t.id, {{ facets | idents('t') }}, p.n
FROM {{ table | ident }} AS t
JOIN attacked_picked AS p ON p.id = t.id

-- name: few_rows
{# Generalized cells of a column in classes of two rows, or one: of a range, each is an end of it.
   grain: one row
   in: attacked_losses, facet
   out: (generalized cells, those in such classes that cover more values, 0) #}
SELECT CAST(COALESCE(SUM(l.n), 0) AS BIGINT) AS cells,
    CAST(COALESCE(SUM(CASE WHEN l.n <= 2 AND l.s{{ facet | integer }} > 2 THEN l.n ELSE 0 END), 0)
        AS BIGINT) AS fewer,
    0 AS single
FROM attacked_losses AS l
WHERE l.s{{ facet | integer }} > 1

-- name: ruled_sizes
{# How many classes have as many rows as the rule gives them, where the classes of least loss share
   the rows of a combination.
   grain: one row
   in: attacked_allowed, attacked_losses, judged_cell_steps(n), steps
   out: (classes, those of the right size) #}
SELECT CAST(COUNT(*) AS BIGINT) AS classes,
    CAST(SUM(CASE WHEN COALESCE(g.n, 0) = l.n THEN 1 ELSE 0 END) AS BIGINT) AS reproduced
FROM attacked_losses AS l
LEFT JOIN (
    SELECT a.tuple, SUM(c.n) AS n
    FROM attacked_allowed AS a
    JOIN judged_cell_steps AS c ON c.p{{ steps | integer }} = a.cell
    WHERE a.allowed = 1
    GROUP BY a.tuple
) AS g ON g.tuple = l.tuple

-- name: box_size
{# How many combinations classes may cover, so that all classes that cover no more cover few together.
   grain: one row
   in: attacked_losses, most (together)
   out: (combinations, NULL where the least class covers more) #}
SELECT MAX(g.size) AS size
FROM (
    SELECT
        l.size,
        SUM(SUM(l.size)) OVER (
            ORDER BY l.size NULLS FIRST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS total
    FROM attacked_losses AS l
    GROUP BY l.size
) AS g
WHERE g.total <= {{ most | integer }}
