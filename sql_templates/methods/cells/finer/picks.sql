{# The offer that each cell loses least by; of equal ones the first generalization.
   grain: one row per cell (and promise.extras)
   in: table (of offers), keys (way, k1 … km), promise
   out: table picks(cell, keys, loss, promise.extras, promise.weights) #}
CREATE TABLE picks AS
SELECT p.cell, p.loss, {{ (keys + promise.extras + promise.weights) | idents('p') }}
FROM (
    SELECT
        o.*,
        RANK() OVER (PARTITION BY o.cell ORDER BY o.loss NULLS LAST, o.way NULLS LAST) AS place
    FROM {{ table | ident }} AS o
) AS p
WHERE p.place = 1
