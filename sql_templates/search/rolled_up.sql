{# Frequency sets of many nodes at once (Incognito 1.1), each rolled up (the rollup property) from
   its source: a node of one of the tables, or the cells themselves (source 0). A group is named by
   its keys, which hold the codes of its attributes side by side; any one of its cells tells its
   codes at every level above.
   grain: one row per node, group and combination of extra codes
   in: requests(node, source, l<index>: levels, NULL where the node's subset lacks the attribute),
       tables (of frequency sets), rooted (whether cells are a source), keys [(name, [(attribute,
       factor)])], attributes, base, promise
   out: a SELECT of (node, keys, cell: one of the group, promise.extras, promise.weights) #}
SELECT
    q.node,
{% for key, _ in keys %}
    q.{{ key | ident }},
{% endfor %}
    MIN(q.cell) AS cell
    {{ promise.extras | each(', q.@') }}
    {{ promise.weights | each(', CAST(SUM(q.@) AS BIGINT) AS @') }}
FROM (
    SELECT
        r.node,
    {% for key, parts in keys %}
        {% for a, factor in parts %}
        CAST(CASE r.l#
        {% for level in range(a.min_level, a.max_level + 1) %}
            WHEN {{ level | integer }} THEN s.a#_{{ level | integer }}
        {% endfor %}
            ELSE 0
        END AS BIGINT) * {{ factor | integer }}{% if not loop.last %} +{% endif +%}
        {% endfor %}
        AS {{ key | ident }},
    {% endfor %}
        {{ (promise.extras + promise.weights) | idents('s') }},
        s.cell
    FROM {{ requests | ident }} AS r
    JOIN (
    {% for table in tables %}
        SELECT f.node, f.cell,
            {{ (promise.extras + promise.weights) | idents('f') }}
            {% for a in attributes %}
            {% for level in range(a.min_level, a.max_level + 1) %}
            , b.a#_{{ level | integer }}
            {% endfor %}
            {% endfor %}
        FROM {{ table | ident }} AS f
        JOIN base AS b ON b.cell = f.cell
        WHERE f.node IN (SELECT m.source FROM {{ requests | ident }} AS m)
        {% if rooted or not loop.last %}
        UNION ALL
        {% endif %}
    {% endfor %}
    {% if rooted %}
        SELECT 0 AS node, b.cell,
            {{ (promise.extras + promise.weights) | idents('b') }}
            {% for a in attributes %}
            {% for level in range(a.min_level, a.max_level + 1) %}
            , b.a#_{{ level | integer }}
            {% endfor %}
            {% endfor %}
        FROM base AS b
    {% endif %}
    ) AS s ON s.node = r.source
) AS q
GROUP BY
    q.node
{% for key, _ in keys %}
    , q.{{ key | ident }}
{% endfor %}
    {{ promise.extras | each(', q.@') }}
