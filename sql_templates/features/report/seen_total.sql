{# The total variation distance of a column's distributions in source and release: half the sum of
   the differences of the shares of every value.
   grain: one row
   in: a (coded column), seen_<index>
   out: (distance, NULL where one of them has no row) #}
SELECT SUM(ABS(
    CAST(s.source AS DOUBLE) / CAST(t.source AS DOUBLE) - s.released / t.released
)) / 2 AS distance
FROM seen_# AS s
JOIN (
    SELECT SUM(e.source) AS source, SUM(e.released) AS released FROM seen_# AS e
) AS t ON t.source > 0 AND t.released > 0
