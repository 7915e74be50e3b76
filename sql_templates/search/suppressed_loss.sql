{# What the suppressed rows of each node would have lost had they been released: the loss of a node
   is that of all rows by levels, less this, plus one whole cell for every suppressed cell.
   grain: one row per node with suppressed rows and attribute
   in: what search/rolled_up takes, counted (a table of these frequency sets or none), names (node
       and the keys of a class), promise, levels(node, attribute, level), steps
   out: (node, attribute, sum of loss over suppressed rows) #}
WITH rolled AS (
    {% if counted %}
    SELECT r.* FROM {{ counted | ident }} AS r
    {% else %}
    {% include 'search/rolled_up.sql' %}
    {% endif %}
),
suppressed AS (
    SELECT
        g.node,
        g.n
    {% for a in attributes %}
        , b.a#_{{ a.min_level | integer }}
    {% endfor %}
    FROM (
        SELECT {{ names | idents('f') }}, x.n, MIN(f.cell) AS cell
        FROM rolled AS f
        JOIN (
            {% with table = 'rolled', keys = names %}
            {% include 'star/models/classes.sql' +%}
            {% endwith %}
        ) AS x ON NOT x.ok {{ names | each('AND x.@ = f.@') }}
        GROUP BY {{ names | idents('f') }}, x.n
    ) AS g
    JOIN base AS b ON b.cell = g.cell
)
SELECT f.node, l.attribute, SUM(f.n * s.loss) AS loss
FROM suppressed AS f
JOIN {{ levels | ident }} AS l ON l.node = f.node
JOIN steps AS s
    ON s.attribute = l.attribute
    AND s.level = l.level
    AND s.code = CASE l.attribute
    {% for a in attributes %}
        WHEN # THEN f.a#_{{ a.min_level | integer }}
    {% endfor %}
    END
GROUP BY f.node, l.attribute
ORDER BY f.node, l.attribute
