-- name: groups
{# grain: one row per node of a table of frequency sets
   in: table
   out: (node, rows of its frequency set, rows of the source in them) #}
SELECT f.node, COUNT(*) AS size, CAST(SUM(f.n) AS BIGINT) AS n
FROM {{ table | ident }} AS f
GROUP BY f.node

-- name: histograms
{# How many classes of each size each of some nodes has. Groups that do not keep the promise are
   suppressed, and are no classes; nor are those without a row of the table.
   grain: one row per node and size, in the order of both
   in: table (of the nodes' frequency sets), names (node and the keys of a class), promise
   out: (node, size, classes) #}
SELECT x.node, x.n AS size, COUNT(*) AS classes
FROM (
    {% with keys = names %}{% include 'privacy/classes.sql' %}{% endwith +%}
) AS x
WHERE x.ok AND x.n > 0
GROUP BY x.node, x.n
ORDER BY x.node, x.n
