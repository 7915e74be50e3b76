{# The cells of Mondrian's regions.
   grain: one row per cell
   in: cells, places, settled, attributes
   out: table pieces_0(part, p1 … pn, n) #}
CREATE TABLE pieces_0 AS
SELECT
    s.part
    {{ attributes | each(', s.p#') }}
    , CAST(SUM(c.n) AS BIGINT) AS n
FROM cells AS c
{{ attributes | each('JOIN places AS t# ON t#.attribute = # AND t#.code = c.c#') }}
JOIN settled AS s
    ON {{ attributes | each('s.p# = t#.place', ' AND ') }}
GROUP BY s.part{{ attributes | each(', s.p#') }}
