{# The combinations of values as points of a cube.
   grain: one row per combination
   in: cells, places, attributes
   out: table points_0(t: 0, p1 … pn: places, x1 … xn: coordinates from 0) #}
CREATE TABLE points_0 AS
SELECT DISTINCT
    0 AS t
{% for a in attributes %}
    , t{{ a.index | integer }}.place AS p{{ a.index | integer }}
    , t{{ a.index | integer }}.place - 1 AS x{{ a.index | integer }}
{% endfor %}
FROM cells AS c
{% for a in attributes %}
JOIN places AS t{{ a.index | integer }} ON t{{ a.index | integer }}.attribute = {{ a.index | integer }} AND t{{ a.index | integer }}.code = c.c{{ a.index | integer }}
{% endfor %}
