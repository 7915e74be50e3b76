{# Groups in which some rows' cells are withheld for the pattern's sake alone: their values are no
   secret of theirs, and must not lie among secrets. So the attribute is released as * for the whole
   group.
   grain: one row per group and such attribute
   in: cells (h<index>), assigned, attributes, semi
   out: table hidden(grp, h<index>: 1 where the attribute is hidden) #}
CREATE TABLE hidden AS
SELECT
    y.grp
    {{ semi | each(', MAX(c.h#) AS h#') }}
FROM cells AS c
JOIN assigned AS y
    ON {{ attributes | each('y.c# = c.c#', ' AND ') }}
GROUP BY y.grp
HAVING {{ semi | each('MAX(c.h#) = 1', ' OR ') }}
