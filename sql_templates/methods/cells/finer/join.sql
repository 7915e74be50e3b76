{# The group that each remaining cell can join at the least cost to all rows, of those whose values
   have a common ancestor with its own.
   grain: one row per cell
   in: table (of cells that remain), stock, regions (table, see methods/cells/finer/regions),
       attributes
   out: rows of placed #}
INSERT INTO placed
SELECT j.cell, j.grp
FROM (
    SELECT
        u.cell,
        u.grp,
        ROW_NUMBER() OVER (
            PARTITION BY u.cell
            ORDER BY
                (u.joint - u.loss) * u.rows_there + u.joint * u.n NULLS LAST,
                u.grp NULLS LAST
        ) AS place
    FROM (
        SELECT
            t.cell,
            t.n,
            r.grp,
            r.n AS rows_there,
        {% for a in attributes %}
            CASE r.l#
            {% for level in range(a.min_level, a.max_level + 1) %}
                WHEN {{ level | integer }} THEN s.w#_{{ level | integer }}
            {% endfor %}
            END
            {% if not loop.last %}+{% endif +%}
        {% endfor %}
            AS loss,
        {% for a in attributes %}
            CASE
            {% for level in range(a.min_level, a.max_level + 1) %}
                WHEN r.l# <= {{ level | integer }}
                    AND s.g#_{{ level | integer }} = t.g#_{{ level | integer }}
                THEN s.w#_{{ level | integer }}
            {% endfor %}
            END
            {% if not loop.last %}+{% endif +%}
        {% endfor %}
            AS joint
        FROM (
            SELECT
                c.cell,
                CAST(SUM(c.n) AS BIGINT) AS n
            {% for a in attributes %}
                {% for level in range(a.min_level, a.max_level + 1) %}
                , MIN(c.g#_{{ level | integer }}) AS g#_{{ level | integer }}
                {% endfor %}
            {% endfor %}
            FROM {{ table | ident }} AS c
            GROUP BY c.cell
        ) AS t
        CROSS JOIN {{ regions | ident }} AS r
        JOIN (
            SELECT DISTINCT
                c.cell
            {% for a in attributes %}
                {% for level in range(a.min_level, a.max_level + 1) %}
                , c.g#_{{ level | integer }}
                , c.w#_{{ level | integer }}
                {% endfor %}
            {% endfor %}
            FROM stock AS c
        ) AS s ON s.cell = r.cell
    ) AS u
    WHERE u.joint IS NOT NULL
) AS j
WHERE j.place = 1
