{# Cells that were counted anew, as far as a published table has them.
   grain: one row per cell
   in: recounted, shown (tables), attributes (all), name
   out: the table `name` (the columns of recounted) #}
CREATE TABLE {{ name | ident }} AS
SELECT r.*
FROM {{ recounted | ident }} AS r
JOIN {{ shown | ident }} AS s
    ON {{ attributes | each('s.l# = r.l# AND s.k# = r.k#', ' AND ') }}
