{# What was decided of every row of the source.
   grain: one row per row
   in: traced, parts, drawn, coded
   out: table placed(k, h, r, trace, part: 0 where the row is held back, x<index>) #}
CREATE TABLE placed AS
SELECT
    t.k, t.h, t.r, t.trace,
    {{ coded | each('t.x#,') }}
    CASE WHEN p.out OR d.h IS NOT NULL THEN 0 ELSE t.part END AS part
FROM traced AS t
LEFT JOIN parts AS p ON p.trace = t.trace AND p.part = t.part
LEFT JOIN drawn AS d ON d.h = t.h
