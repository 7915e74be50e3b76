{# The groups of some nodes, numbered from 0 in the order of their keys, so that a number means the same whenever it is made.
   grain: one row per node and group
   in: table (of frequency sets, see search/rolled_up), requests(node, l<index>), names (the keys of a group), base, steps, attributes, total
       (sum of the attributes' weights)
   out: table node_groups(node, grp, keys, n: rows, lost: weighted mean loss of a row's cells, in steps of 1e-12, c1 … cn: codes at the node's
        levels) #}
CREATE TABLE node_groups AS
SELECT
    g.node,
    CAST(ROW_NUMBER() OVER (PARTITION BY g.node ORDER BY {% for name in names %}g.{{ name | ident }} NULLS FIRST{% if not loop.last %}, {% endif %}{% endfor %}) - 1 AS BIGINT) AS grp,
    {{ names | idents('g') }},
    g.n,
    CAST(FLOOR(({% for a in attributes %}CAST({{ a.policy.weight | literal }} AS DOUBLE) * s{{ a.index | integer }}.loss{% if not loop.last %} + {% endif %}{% endfor %}) / CAST({{ total | literal }} AS DOUBLE) * 1000000000000.0 + 0.5) AS BIGINT) AS lost
{% for a in attributes %}
    , g.c{{ a.index | integer }}
{% endfor %}
FROM (
    SELECT
        f.node,
        {{ names | idents('f') }},
        f.n
    {% for a in attributes %}
        , r.l{{ a.index | integer }}
        , b.a{{ a.index | integer }}_{{ a.min_level | integer }} AS a{{ a.index | integer }}
        , CASE r.l{{ a.index | integer }}{% for level in range(a.min_level, a.max_level + 1) %} WHEN {{ level | integer }} THEN b.a{{ a.index | integer }}_{{ level | integer }}{% endfor %} END AS c{{ a.index | integer }}
    {% endfor %}
    FROM (
        SELECT t.node, {{ names | idents('t') }}, MIN(t.cell) AS cell, CAST(SUM(t.n) AS BIGINT) AS n
        FROM {{ table | ident }} AS t
        GROUP BY t.node, {{ names | idents('t') }}
    ) AS f
    JOIN {{ requests | ident }} AS r ON r.node = f.node
    JOIN base AS b ON b.cell = f.cell
) AS g
{% for a in attributes %}
LEFT JOIN steps AS s{{ a.index | integer }}
    ON s{{ a.index | integer }}.attribute = {{ a.index | integer }}
    AND s{{ a.index | integer }}.level = g.l{{ a.index | integer }}
    AND s{{ a.index | integer }}.code = g.a{{ a.index | integer }}
{% endfor %}
