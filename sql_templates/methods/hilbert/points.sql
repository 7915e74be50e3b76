{# The combinations of values as points of a cube.
   grain: one row per combination
   in: cells, places, attributes
   out: table points_0(t: 0, p1 … pn: places, x1 … xn: coordinates from 0) #}
CREATE TABLE points_0 AS
SELECT DISTINCT
    0 AS t
    {{ attributes | each(', t#.place AS p#, t#.place - 1 AS x#') }}
FROM cells AS c
{{ attributes | each('JOIN places AS t# ON t#.attribute = # AND t#.code = c.c#') }}
