-- name: alone
{# Released rows whose values in some columns no other released row has.
   grain: one row per such row
   in: table (of released rows), facets (columns v<facet>)
   out: (id of its combination) #}
SELECT MIN(t.id) AS id
FROM {{ table | ident }} AS t
GROUP BY {{ facets | idents('t') }}
HAVING SUM(t.n) = 1
ORDER BY id

-- name: equal
{# How many rows have the very values of each predicate.
   grain: one row per predicate that a row satisfies
   in: judged_tuples(id, v<facet>), table (with the facets, n), facets (columns v<facet>)
   out: (id, rows) #}
SELECT g.id, CAST(SUM(t.n) AS BIGINT) AS n
FROM judged_tuples AS g
JOIN {{ table | ident }} AS t ON {{ facets | each('t.@ = g.@', ' AND ') }}
GROUP BY g.id
ORDER BY g.id

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
