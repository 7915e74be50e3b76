{# The first and last cells that a group of k to 2k - 1 rows can reach between, when they are not
   the same. All cells from one to the other are two runs of a power of two.
   grain: one row per pair
   in: line, distances(distance, doubling: the greatest power of two within distance + 1 cells,
       rest: what that leaves of them), after and upto (of the last cells)
   out: table pairs(cell: the last one, distance, doubling, run and other: the first cells of the
       runs) #}
CREATE TABLE pairs AS
SELECT
    z.cell, d.distance, d.doubling,
    z.cell - d.distance AS run,
    z.cell - d.distance + d.rest AS other
FROM line AS z
JOIN distances AS d ON d.distance >= z.nearest AND d.distance <= z.farthest
WHERE z.cell > {{ after | integer }} AND z.cell <= {{ upto | integer }}
