{# The values that each part has, of attributes with few: bit number p of a whole number says whether
   the part has the value at place p.
   grain: one row per part
   in: settled, narrow (the attributes)
   out: table part_masks(part, m<i>) #}
CREATE TABLE part_masks AS
SELECT
    s.part
    {{ narrow | each(', BIT_OR(CAST(1 AS BIGINT) << s.p#) AS m#') }}
FROM settled AS s
GROUP BY s.part
