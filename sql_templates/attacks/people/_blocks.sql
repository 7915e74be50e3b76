-- name: rows_of_people
{# The released rows that are one person's.
   grain: one row per person and combination of labels
   in: attacked_links, judged_tuples(id, v<facet>), facets (its columns v<facet>)
   out: table attacked_link_sets(who, tuple: id of judged_tuples, n) #}
CREATE TABLE attacked_link_sets AS
SELECT l.who, j.id AS tuple, CAST(SUM(l.n) AS BIGINT) AS n
FROM attacked_links AS l
JOIN judged_tuples AS j ON {{ facets | each('j.@ = l.@', ' AND ') }}
GROUP BY l.who, j.id

-- name: targets
{# The people who are looked for, by each of their rows.
   grain: one row per person and combination
   in: table (combinations of people, with their id), attacked_picked(who), facets (columns v<facet>)
   out: table judged_cells(id, who, v<facet>, n: the person's rows) #}
CREATE TABLE judged_cells AS
SELECT t.id, t.who, {{ facets | idents('t') }}, t.n
FROM {{ table | ident }} AS t
JOIN attacked_picked AS p ON p.who = t.who

-- name: truths
{# The values of a secret that the people have who are looked for.
   grain: one row per person and value
   in: table (combinations of people), attacked_picked(who), facet (of the secret)
   out: table attacked_truths(who, value) #}
CREATE TABLE attacked_truths AS
SELECT DISTINCT t.who, t.v{{ facet | integer }} AS value
FROM {{ table | ident }} AS t
JOIN attacked_picked AS p ON p.who = t.who
