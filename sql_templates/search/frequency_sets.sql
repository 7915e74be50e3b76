{# Frequency sets (Incognito 1.1) of many nodes at once, each rolled up (the rollup property) from its source: a direct
   specialization in the table `below`, or its family's super-root.
   grain: one row per node and combination of group codes
   in: table, attributes, requests(node, source, l1 … ln: the level an attribute moves to, NULL where it stays),
       families and below (node, c1 …, n), steps
   out: table <table>(node, c1 … cn, n) #}
CREATE TABLE {{ table | ident }} AS
SELECT
    m.node,
{% for a in attributes %}
    COALESCE(s{{ a.index | integer }}.up, f.c{{ a.index | integer }}) AS c{{ a.index | integer }},
{% endfor %}
    CAST(SUM(f.n) AS BIGINT) AS n
FROM {{ requests | ident }} AS m
JOIN (
    SELECT r.* FROM {{ families | ident }} AS r
{% if below %}
    UNION ALL
    SELECT b.* FROM {{ below | ident }} AS b
{% endif %}
) AS f ON f.node = m.source
{% for a in attributes %}
LEFT JOIN steps AS s{{ a.index | integer }}
    ON s{{ a.index | integer }}.attribute = {{ a.index | integer }}
    AND s{{ a.index | integer }}.level = m.l{{ a.index | integer }}
    AND s{{ a.index | integer }}.code = f.c{{ a.index | integer }}
{% endfor %}
GROUP BY
    m.node
{% for a in attributes %}
    , COALESCE(s{{ a.index | integer }}.up, f.c{{ a.index | integer }})
{% endfor %}
