{# The cells, numbered in an order that says nothing and is the same on every engine.
   grain: one row per cell
   in: members_0, attributes
   out: table spots(id: from 1, part, p1 … pn, n) #}
CREATE TABLE spots AS
SELECT
    CAST(ROW_NUMBER() OVER (
        ORDER BY
            MD5({% for a in attributes %}CAST(m.p{{ a.index | integer }} AS VARCHAR){% if not loop.last %} || ',' || {% endif %}{% endfor %}) NULLS LAST,
            m.part NULLS LAST{% for a in attributes %}, m.p{{ a.index | integer }} NULLS LAST{% endfor +%}
    ) AS BIGINT) AS id,
    m.part
{% for a in attributes %}
    , m.p{{ a.index | integer }}
{% endfor %}
    , CAST(SUM(m.n) AS BIGINT) AS n
FROM members_0 AS m
GROUP BY m.part{% for a in attributes %}, m.p{{ a.index | integer }}{% endfor +%}
