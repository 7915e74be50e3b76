{# Frequency sets of many nodes at once (Incognito 1.1), each rolled up (the rollup property) from
   its source: a node of one of the tables, or the cells themselves (source 0). A group is named by
   its keys: the paths of its codes, which a mask generalizes (see anonsql/search/paths).
   grain: one row per node, group and combination of extra codes
   in: requests(node, source, m_<key>: masks), tables (of frequency sets), rooted (whether cells are
       a source), keys (their names), base, promise
   out: a SELECT of (node, keys, promise.extras, promise.weights) #}
SELECT
    q.node,
    {{ keys | idents('q') }}
    {{ promise.extras | each(', q.@') }}
    {{ promise.weights | each(', CAST(SUM(q.@) AS BIGINT) AS @') }}
FROM (
    SELECT
        CAST(r.node AS INTEGER) AS node,
    {% for key in keys %}
        s.{{ key | ident }} & r.{{ ('m_' ~ key) | ident }} AS {{ key | ident }},
    {% endfor %}
        {{ (promise.extras + promise.weights) | idents('s') }}
    FROM {{ requests | ident }} AS r
    JOIN (
    {% for table in tables %}
        SELECT f.node, {{ (keys + promise.extras + promise.weights) | idents('f') }}
        FROM {{ table | ident }} AS f
        {% if rooted or not loop.last %}
        UNION ALL
        {% endif %}
    {% endfor %}
    {% if rooted %}
        SELECT 0 AS node, {{ (keys + promise.extras + promise.weights) | idents('b') }}
        FROM base AS b
    {% endif %}
    ) AS s ON s.node = r.source
) AS q
GROUP BY q.node, {{ keys | idents('q') }}{{ promise.extras | each(', q.@') }}
