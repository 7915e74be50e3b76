{# The cells by the places of their values, in the parts to begin with: one for each pattern.
   grain: one row per cell
   in: cells, places, attributes
   out: table members_0(part, p1 … pn, n) #}
CREATE TABLE members_0 AS
SELECT
    c.part
    {{ attributes | each(', CAST(t#.place AS INTEGER) AS p#') }}
    , c.n
FROM cells AS c
{{ attributes | each('JOIN places AS t# ON t#.attribute = # AND t#.code = c.c#') }}
