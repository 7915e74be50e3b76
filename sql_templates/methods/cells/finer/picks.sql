{# The offer that each cell loses least by; of equal ones the first generalization. Both are one
   number, for there are fewer generalizations than 2**20.
   grain: one row per cell (and promise.extras)
   in: table (of offers), keys (way, k1 … km), promise
   out: table picks(cell, keys, loss, promise.extras, promise.weights) #}
CREATE TABLE picks AS
SELECT o.cell, o.loss, {{ (keys + promise.extras + promise.weights) | idents('o') }}
FROM {{ table | ident }} AS o
JOIN (
    SELECT t.cell, MIN(t.loss * 1048576 + t.way) AS least
    FROM {{ table | ident }} AS t
    GROUP BY t.cell
) AS b ON b.cell = o.cell AND b.least = o.loss * 1048576 + o.way
