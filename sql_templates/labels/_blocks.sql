-- name: asked_column
{# The released values of a column, to be read in all ways.
   grain: one row per value with its bounds
   in: column (its number), the table labels_values
   out: table labels_asked(id, label, listed, lo, hi) #}
CREATE OR REPLACE TABLE labels_asked AS
SELECT v.id, v.label, v.listed, v.lo, v.hi
FROM labels_values AS v
WHERE v.col = {{ column | integer }}

-- name: leaves
{# The leaves of a hierarchy in the order that they are given in.
   grain: one row per leaf
   in: number (of the hierarchy), height
   out: (place in the order of intervals of names, the leaf, its labels up to the top) #}
SELECT t.place {{ range(height + 1) | each(', t.l#') }}
FROM {{ ('labels_tree_' ~ number) | ident }} AS t
ORDER BY t.line

-- name: limits
{# The bounds of released values that have any.
   grain: one row per value
   in: into (a table), labels_asked
   out: the table (label: the value's id, lo, hi) #}
CREATE OR REPLACE TABLE {{ into | ident }} AS
SELECT a.id AS label, a.lo, a.hi
FROM labels_asked AS a
WHERE a.lo IS NOT NULL OR a.hi IS NOT NULL

-- name: ordered
{# The order of the leaves of hierarchies by which intervals of names are read.
   grain: one row per hierarchy and leaf
   in: trees (number, height)
   out: table labels_places(tree, word, place) #}
CREATE OR REPLACE TABLE labels_places AS
{% for each in trees %}
{% if not loop.first %} UNION ALL{% endif +%}
{% with number = each.number, height = each.height %}
{% include 'labels/places.sql' %}
{% endwith %}
{% endfor %}

-- name: places
{# The leaves of a hierarchy in the order that intervals of names use: siblings side by side, each
   label where its first leaf is listed, what NULL belongs to first, and NULL before all.
   grain: one row per leaf
   in: number (of the hierarchy), height
   out: (tree, word, place) #}
SELECT
    {{ number | integer }} AS tree,
    t.l0 AS word,
    MAX(CASE WHEN t.l0 IS NULL THEN -1 ELSE t.place END) AS place
FROM {{ ('labels_tree_' ~ number) | ident }} AS t
GROUP BY t.l0

-- name: reading_kinds
{# Which kinds of readings some labels have, and whether any has bounds.
   grain: one row
   in: table (of readings), labels_asked
   out: (spans, names, limits: how many) #}
SELECT
    COUNT(*) FILTER (WHERE r.kind = 'span') AS spans,
    COUNT(*) FILTER (WHERE r.kind = 'names') AS names,
    (SELECT COUNT(*) FROM labels_asked AS a WHERE a.lo IS NOT NULL OR a.hi IS NOT NULL) AS limits
FROM {{ table | ident }} AS r

-- name: released_read
{# grain: one row per released value of a column
   in: labels (a table as labels/released makes it), c (as there)
   out: (value, label, lo, hi, rows), in the order of their numbers #}
SELECT v.value,
    v.label, {% if c.held.lo %}v.lo, v.hi{% else %}NULL AS lo, NULL AS hi{% endif %}, v.n
FROM {{ labels | ident }} AS v
ORDER BY v.value
