{# The cells, numbered in an order that says nothing and is the same on every engine.
   grain: one row per cell
   in: members_0, attributes
   out: table spots(id: from 1, part, p1 … pn, n) #}
CREATE TABLE spots AS
SELECT
    CAST(ROW_NUMBER() OVER (
        ORDER BY
            MD5({{ attributes | each('CAST(m.p# AS VARCHAR)', " || ',' || ") }}) NULLS LAST,
            m.part NULLS LAST{{ attributes | each(', m.p# NULLS LAST') }}
    ) AS BIGINT) AS id,
    m.part
    {{ attributes | each(', m.p#') }}
    , CAST(SUM(m.n) AS BIGINT) AS n
FROM members_0 AS m
GROUP BY m.part{{ attributes | each(', m.p#') }}
