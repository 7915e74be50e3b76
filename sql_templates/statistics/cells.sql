{# The cells of all tables with their numbers, in the order of levels and groups.
   grain: one row per cell
   in: counted (a table), attributes
   out: table cells(cell: from 0, and the columns of counted) #}
CREATE TABLE cells AS
SELECT
    CAST(ROW_NUMBER() OVER (ORDER BY t.v NULLS FIRST, {{ attributes | listed('t.c# NULLS FIRST') }}) - 1 AS BIGINT) AS cell,
    t.*
FROM {{ counted | ident }} AS t
