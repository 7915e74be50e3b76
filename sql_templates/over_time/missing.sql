{# The rows that were released before and that the source has not any more.
   grain: one row per row
   in: remembered, traced
   out: table missing(r, h, trace, y1 …, x<index>) #}
CREATE TABLE missing AS
SELECT m.*
FROM remembered AS m
LEFT JOIN traced AS t ON t.r = m.r
WHERE t.r IS NULL
