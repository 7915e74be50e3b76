{# The cells of Mondrian's regions.
   grain: one row per cell
   in: cells, places, settled, attributes
   out: table pieces_0(part, p1 … pn, n) #}
CREATE TABLE pieces_0 AS
SELECT
    s.part
{% for a in attributes %}
    , s.p{{ a.index | integer }}
{% endfor %}
    , CAST(SUM(c.n) AS BIGINT) AS n
FROM cells AS c
{% for a in attributes %}
JOIN places AS t{{ a.index | integer }} ON t{{ a.index | integer }}.attribute = {{ a.index | integer }} AND t{{ a.index | integer }}.code = c.c{{ a.index | integer }}
{% endfor %}
JOIN settled AS s
    ON {% for a in attributes %}s.p{{ a.index | integer }} = t{{ a.index | integer }}.place{% if not loop.last %} AND {% endif %}{% endfor +%}
GROUP BY s.part{% for a in attributes %}, s.p{{ a.index | integer }}{% endfor +%}
