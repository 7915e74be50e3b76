{# The cells in lexicographic order (Wong, Mamoulis, Cheung 2010, section 5.3.1); rows that differ in sensitive values only lie
   side by side.
   grain: one row per cell (and promise.extras)
   in: cells, places, ordered (the attributes by ascending number of values), promise
   out: table items(item: from 1, depth: the first attribute in which it differs from the one before, counted from 1; 0 where
        it differs in promise.extras alone, c1 … cn, p1 … pn: places, promise.extras, n) #}
CREATE TABLE items AS
SELECT
    ROW_NUMBER() OVER lexicographic AS item,
    CASE
    {% for a in ordered %}
        WHEN COALESCE(LAG(o.p{{ a.index | integer }}) OVER lexicographic, 0) <> o.p{{ a.index | integer }} THEN {{ loop.index | integer }}
    {% endfor %}
        ELSE 0
    END AS depth,
{% for a in ordered %}
    o.c{{ a.index | integer }},
    o.p{{ a.index | integer }},
{% endfor %}
{% for extra in promise.extras %}
    o.{{ extra | ident }},
{% endfor %}
    o.n
FROM (
    SELECT
    {% for a in ordered %}
        c.c{{ a.index | integer }},
        CAST(t{{ a.index | integer }}.place AS INTEGER) AS p{{ a.index | integer }},
    {% endfor %}
    {% for extra in promise.extras %}
        c.{{ extra | ident }},
    {% endfor %}
        c.n
    FROM cells AS c
    {% for a in ordered %}
    JOIN places AS t{{ a.index | integer }} ON t{{ a.index | integer }}.attribute = {{ a.index | integer }} AND t{{ a.index | integer }}.code = c.c{{ a.index | integer }}
    {% endfor %}
) AS o
WINDOW lexicographic AS (ORDER BY {% for a in ordered %}o.p{{ a.index | integer }} NULLS FIRST{% if promise.extras or not loop.last %}, {% endif %}{% endfor %}{% for extra in promise.extras %}o.{{ extra | ident }} NULLS FIRST{% if not loop.last %}, {% endif %}{% endfor %})
