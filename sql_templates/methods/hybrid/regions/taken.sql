{# The rows that regions give to others: those nearest to what is released of them.
   grain: one row per cell of a giver that has such rows
   in: gifts(part, target, rows: how many), spots, boxes, attributes, forms, sizes, total, steps (as
       in givers)
   out: table taken(part, target, p1 … pn, n: so many rows of the cell) #}
{% from 'methods/hybrid/regions/macros.sql' import distance, outside %}
CREATE TABLE taken AS
SELECT
    r.part, r.target
    {{ attributes | each(', r.p#') }}
    , LEAST(r.n, r.rows - r.upto + r.n) AS n
FROM (
    SELECT
        d.part, d.target, d.rows, d.n
        {{ attributes | each(', d.p#') }}
        , CAST(SUM(d.n) OVER (
            PARTITION BY d.part
            ORDER BY d.outside NULLS LAST,
                d.distance NULLS LAST{{ attributes | each(', d.p# NULLS LAST') }}
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS BIGINT) AS upto
    FROM (
        SELECT
            s.part, g.target, g.rows, s.n
            {{ attributes | each(', s.p#') }}
            , {{ outside(attributes, forms) }} AS outside
            , CAST(FLOOR(({{ distance(attributes, forms, sizes) }})
                / CAST({{ total | literal }} AS DOUBLE)
                * ({{ steps | integer }} - 1)) AS BIGINT) AS distance
        FROM gifts AS g
        JOIN spots AS s ON s.part = g.part
        JOIN boxes AS b ON b.part = g.target
    ) AS d
) AS r
WHERE r.upto - r.n < r.rows
