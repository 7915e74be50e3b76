{# The value that loses the greatest share of its rows at each of some nodes: those of classes that
   do not keep the promise.
   grain: one row per node at which a value that enough rows have loses any
   in: table (of the nodes' frequency sets), requests(node, m_<key>: masks), names (node and the
       keys
       of a class), keys (their names), promise, attributes, group_base, group_totals, group_values
       where there are sensitive columns (valued)
   out: (node, number of the column, lost rows, rows) #}
WITH judged AS (
    {% with keys = names %}{% include 'privacy/classes.sql' %}{% endwith +%}
),
lost_cells AS (
    SELECT r.node, {{ attributes | each('b.c#,') }} b.n
    FROM {{ requests | ident }} AS r
    CROSS JOIN group_base AS b
    JOIN judged AS f
        ON f.node = r.node
        {% for key in keys %}
        AND f.{{ key | ident }} = b.{{ key | ident }} & r.{{ ('m_' ~ key) | ident }}
        {% endfor %}
    WHERE NOT f.ok
),
lost AS (
    {% for a in attributes %}
    SELECT l.node, # AS number, CAST(l.c# AS BIGINT) AS code, CAST(SUM(l.n) AS BIGINT) AS n
    FROM lost_cells AS l
    GROUP BY l.node, l.c#
    {% if valued or not loop.last %}UNION ALL{% endif +%}
    {% endfor %}
    {% if valued %}
    SELECT l.node, v.number, v.code, CAST(SUM(v.n) AS BIGINT) AS n
    FROM lost_cells AS l
    JOIN group_values AS v ON {{ attributes | each('v.c# = l.c#', ' AND ') }}
    GROUP BY l.node, v.number, v.code
    {% endif %}
),
ranked AS (
    SELECT l.node, t.number, l.n AS lost, t.n AS total,
        ROW_NUMBER() OVER (
            PARTITION BY l.node
            ORDER BY
                CAST(l.n AS DOUBLE) / t.n DESC NULLS LAST, t.n DESC NULLS LAST,
                t.number NULLS FIRST, t.code NULLS FIRST
        ) AS position
    FROM lost AS l
    JOIN group_totals AS t ON t.number = l.number AND t.code = l.code
)
SELECT k.node, k.number, k.lost, k.total
FROM ranked AS k
WHERE k.position = 1
ORDER BY k.node
