{# Of how many rows of the source that fit a part how many are released.
   grain: one row per part
   in: people_classes, people_cells
   out: table people_parts(part, fitting, released) #}
CREATE TABLE people_parts AS
SELECT k.part, CAST(COALESCE(MAX(f.n), 0) AS BIGINT) AS fitting, CAST(SUM(k.n) AS BIGINT) AS released
FROM people_classes AS k
LEFT JOIN (
    SELECT d.part, SUM(d.n) AS n
    FROM (SELECT DISTINCT c.cell, c.part, c.n FROM people_cells AS c) AS d
    GROUP BY d.part
) AS f ON f.part = k.part
GROUP BY k.part
