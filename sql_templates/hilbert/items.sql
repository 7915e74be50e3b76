{# The cells along the Hilbert curve; those that differ in sensitive values only lie side by side.
   grain: one row per cell (and promise.extras)
   in: table (points), cells, places, attributes, keys (columns h…, highest level first), promise
   out: table items(item: from 1, depth: 1 for the first of its point, 0 for others, c1 … cn, p1 … pn: places, promise.extras, n) #}
CREATE TABLE items AS
SELECT
    ROW_NUMBER() OVER (ORDER BY o.point NULLS LAST{% for extra in promise.extras %}, o.{{ extra | ident }} NULLS FIRST{% endfor %}) AS item,
    CASE WHEN COALESCE(LAG(o.point) OVER (ORDER BY o.point NULLS LAST{% for extra in promise.extras %}, o.{{ extra | ident }} NULLS FIRST{% endfor %}), 0) <> o.point THEN 1 ELSE 0 END AS depth,
{% for a in attributes %}
    o.c{{ a.index | integer }},
    o.p{{ a.index | integer }},
{% endfor %}
{% for extra in promise.extras %}
    o.{{ extra | ident }},
{% endfor %}
    o.n
FROM (
    SELECT
        q.point,
    {% for a in attributes %}
        c.c{{ a.index | integer }},
        CAST(q.p{{ a.index | integer }} AS INTEGER) AS p{{ a.index | integer }},
    {% endfor %}
    {% for extra in promise.extras %}
        c.{{ extra | ident }},
    {% endfor %}
        c.n
    FROM cells AS c
    {% for a in attributes %}
    JOIN places AS t{{ a.index | integer }} ON t{{ a.index | integer }}.attribute = {{ a.index | integer }} AND t{{ a.index | integer }}.code = c.c{{ a.index | integer }}
    {% endfor %}
    JOIN (
        SELECT
        {% for a in attributes %}
            h.p{{ a.index | integer }},
        {% endfor %}
            ROW_NUMBER() OVER (ORDER BY {% for key in keys %}h.{{ key | ident }} NULLS LAST{% if not loop.last %}, {% endif %}{% endfor %}) AS point
        FROM {{ table | ident }} AS h
    ) AS q ON {% for a in attributes %}q.p{{ a.index | integer }} = t{{ a.index | integer }}.place{% if not loop.last %} AND {% endif %}{% endfor +%}
) AS o
