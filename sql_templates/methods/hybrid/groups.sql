{# The groups of some nodes, numbered from 0 in the order of their keys, so that a number means the
   same whenever it is made.
   grain: one row per node and group
   in: table (of frequency sets, see search/rolled_up), requests(node, l<index>), names (the keys of
       a group), base, steps, attributes, total (sum of the attributes' weights), words (see
       anonsql.methods.hybrid.words)
   out: table node_groups(node, grp, keys, n: rows, lost: weighted mean loss of a row's cells, in
       steps of 1e-12, c1 … cn: codes at the node's levels, b1 … bm: these in the bits of whole
       numbers) #}
CREATE TABLE node_groups AS
SELECT
    g.node,
    CAST(ROW_NUMBER() OVER (PARTITION BY g.node ORDER BY {{ names | listed('g.@ NULLS FIRST') }})
        - 1 AS BIGINT) AS grp,
    {{ names | idents('g') }},
    g.n,
    CAST(FLOOR((
    {% for a in attributes %}
        CAST({{ a.policy.weight | literal }} AS DOUBLE) * s#.loss
        {% if not loop.last %}+{% endif +%}
    {% endfor %}
    ) / CAST({{ total | literal }} AS DOUBLE) * 1000000000000.0 + 0.5) AS BIGINT) AS lost
    {{ attributes | each(', g.c#') }}
{% for word in words %}
    ,
    {% for a, factor in word.lanes %}
    CAST(g.c# AS BIGINT) * {{ factor | integer }}
    {% if not loop.last %}+{% endif +%}
    {% endfor %}
    AS {{ word.name | ident }}
{% endfor %}
FROM (
    SELECT
        f.node,
        {{ names | idents('f') }},
        f.n
    {% for a in attributes %}
        , r.l#
        , b.a#_{{ a.min_level | integer }} AS a#
        , CASE r.l#
        {% for level in range(a.min_level, a.max_level + 1) %}
            WHEN {{ level | integer }} THEN b.a#_{{ level | integer }}
        {% endfor %}
        END AS c#
    {% endfor %}
    FROM (
        SELECT t.node, {{ names | idents('t') }}, MIN(t.cell) AS cell, CAST(SUM(t.n) AS BIGINT) AS n
        FROM {{ table | ident }} AS t
        GROUP BY t.node, {{ names | idents('t') }}
    ) AS f
    JOIN {{ requests | ident }} AS r ON r.node = f.node
    JOIN base AS b ON b.cell = f.cell
) AS g
{{ attributes | each(
    'LEFT JOIN steps AS s# ON s#.attribute = # AND s#.level = g.l# AND s#.code = g.a#'
) }}
