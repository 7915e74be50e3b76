{# The groups of some nodes, numbered from 0 in the order of their codes, so that a number
   means the same whenever it is made.
   grain: one row per node and group
   in: table (of frequency sets, see search/rolled_up), requests(node, l<index>), keys (of a group:
       [(name, [(attribute, mask)])]), path_steps, attributes, total (sum of the attributes'
       weights), words (see anonsql.methods.hybrid.words)
   out: table node_groups(node, grp, keys, n: rows, lost: weighted mean loss of a row's cells, in
       steps of 1e-12, c1 … cn: codes at the node's levels, b1 … bm: these in the bits of whole
       numbers) #}
CREATE TABLE node_groups AS
SELECT
    g.node,
    CAST(ROW_NUMBER() OVER (
        PARTITION BY g.node
        ORDER BY {{ attributes[::-1] | listed('s#.code NULLS FIRST') }}
    ) - 1 AS BIGINT) AS grp,
    {% for key, _ in keys %}
    g.{{ key | ident }},
    {% endfor %}
    g.n,
    CAST(FLOOR((
    {% for a in attributes %}
        CAST({{ a.policy.weight | literal }} AS DOUBLE) * s#.loss
        {% if not loop.last %}+{% endif +%}
    {% endfor %}
    ) / CAST({{ total | literal }} AS DOUBLE) * 1000000000000.0 + 0.5) AS BIGINT) AS lost
    {{ attributes | each(', s#.code AS c#') }}
{% for word in words %}
    ,
    {% for a, factor in word.lanes %}
    CAST(s#.code AS BIGINT) * {{ factor | integer }}
    {% if not loop.last %}+{% endif +%}
    {% endfor %}
    AS {{ word.name | ident }}
{% endfor %}
FROM (
    SELECT
        t.node,
        {% for key, _ in keys %}
        t.{{ key | ident }},
        {% endfor %}
        {{ attributes | each('r.l#,') }}
        CAST(SUM(t.n) AS BIGINT) AS n
    FROM {{ table | ident }} AS t
    JOIN {{ requests | ident }} AS r ON r.node = t.node
    GROUP BY
        t.node
        {% for key, _ in keys %}
        , t.{{ key | ident }}
        {% endfor %}
        {{ attributes | each(', r.l#') }}
) AS g
{% for a in attributes %}
LEFT JOIN path_steps AS s#
    ON s#.attribute = # AND s#.level = g.l#
    {% for key, parts in keys %}
    {% for b, mask in parts if b.index == a.index %}
    AND s#.{{ key | ident }} = g.{{ key | ident }} & CAST({{ mask | integer }} AS BIGINT)
    {% endfor %}
    {% endfor %}
{% endfor %}
