{# The cells by the places of their values, in the parts to begin with: one for each pattern.
   grain: one row per cell
   in: cells, places, attributes
   out: table members_0(part, p1 … pn, n) #}
CREATE TABLE members_0 AS
SELECT
    c.part
{% for a in attributes %}
    , CAST(t{{ a.index | integer }}.place AS INTEGER) AS p{{ a.index | integer }}
{% endfor %}
    , c.n
FROM cells AS c
{% for a in attributes %}
JOIN places AS t{{ a.index | integer }} ON t{{ a.index | integer }}.attribute = {{ a.index | integer }} AND t{{ a.index | integer }}.code = c.c{{ a.index | integer }}
{% endfor %}
