-- name: by_itself
{# How many rows of a table are suppressed by themselves, and do not go with the row that they
   refer to, by node.
   grain: one row per node
   in: table (its number, upper), suppressed (a table of ids), together (how many nodes there are),
       standing_<number> as it was, standing_<upper> as it is left
   out: (node, number of rows) #}
SELECT x.id % {{ together | integer }} AS node, COUNT(*) AS gone
FROM {{ suppressed | ident }} AS x
{% if table.upper %}
JOIN {{ ('standing_' ~ table.number) | ident }} AS t ON t.id = x.id
JOIN {{ ('standing_' ~ table.upper) | ident }} AS p ON p.id = t.parent
{% endif %}
GROUP BY x.id % {{ together | integer }}

-- name: by_node
{# How many rows of a table that do not stay there are at each node.
   grain: one row per node
   in: table (see relational/search/missing)
   out: (node, rows) #}
SELECT m.node, COUNT(*) AS n FROM {{ table | ident }} AS m GROUP BY m.node

-- name: failed
{# The people at nodes that are known to fail, as to be suppressed.
   grain: one row per person
   in: failed (the nodes), together (how many nodes there are), standing_1
   out: a SELECT of (person, origin, parent, class) as of people to suppress #}
SELECT t.id AS person, 1 AS origin, t.id AS parent, t.class
FROM standing_1 AS t
WHERE t.id % {{ together | integer }} IN ({{ failed | listed('#') }})

-- name: of_people
{# The rows of some people.
   grain: one row per row
   in: table, column (of it, that says whose a row is), people (a table of ids)
   out: a SELECT of the columns of the table #}
SELECT t.*
FROM {{ table | ident }} AS t
JOIN {{ people | ident }} AS x ON x.id = t.{{ column | ident }}

-- name: origins
{# The tables that rows to suppress are of.
   grain: one row per table
   in: to_suppress
   out: (number) #}
SELECT DISTINCT x.origin FROM to_suppress AS x

-- name: rare
{# What may be known of fewer than k people.
   grain: one row per combination
   in: counts (a table) and keys (see relational/search/counts), k
   out: a SELECT of the keys #}
SELECT {{ keys | idents('v') }}
FROM {{ counts | ident }} AS v
WHERE v.n < {{ k | integer }}

-- name: rare_trees
{# The people whose whole trees fewer than k people have.
   grain: one row per person
   in: trees_1 (see trees), k
   out: a SELECT of (person, origin, parent, class) as of people to suppress #}
SELECT t.id AS person, 1 AS origin, t.id AS parent, t.tree AS class
FROM trees_1 AS t
JOIN (
    SELECT v.tree FROM trees_1 AS v GROUP BY v.tree HAVING COUNT(*) < {{ k | integer }}
) AS r ON r.tree = t.tree

-- name: surrogates
{# The rows that are released, with their new numbers. Ids are in a random order already.
   grain: one row per released row
   in: table (its number), missing and node (see relational/search/missing), rows_<number>
   out: a SELECT of (id, surrogate: 1 … n) #}
SELECT r.id, CAST(ROW_NUMBER() OVER (ORDER BY r.id NULLS LAST) AS BIGINT) AS surrogate
FROM {{ ('rows_' ~ table.number) | ident }} AS r
LEFT JOIN {{ missing | ident }} AS m ON m.id = r.id AND m.node = {{ node | integer }}
WHERE m.id IS NULL

-- name: united
{# All rows of some scratch tables with the same columns.
   grain: one row per row of the tables
   in: tables
   out: a SELECT of their columns #}
{% for table in tables %}
SELECT t.* FROM {{ table | ident }} AS t
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
