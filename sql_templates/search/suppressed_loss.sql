{# What the suppressed rows of each node would have lost had they been released: the loss of a node is that of all
   rows by levels, less this, plus one whole cell for every suppressed cell.
   grain: one row per node with suppressed rows and attribute
   in: table (node, c1 …, n), nodes(node, attribute, level), steps, k
   out: (node, attribute, sum of loss over suppressed rows) #}
SELECT f.node, l.attribute, SUM(f.n * s.loss) AS loss
FROM {{ table | ident }} AS f
JOIN {{ nodes | ident }} AS l ON l.node = f.node
JOIN steps AS s
    ON s.attribute = l.attribute
    AND s.level = l.level
    AND s.code = CASE l.attribute
    {% for a in attributes %}
        WHEN {{ a.index | integer }} THEN f.c{{ a.index | integer }}
    {% endfor %}
    END
WHERE f.n < {{ k | integer }}
GROUP BY f.node, l.attribute
ORDER BY f.node, l.attribute
