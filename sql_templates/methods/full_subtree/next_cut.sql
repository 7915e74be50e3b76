{# Cuts a round further down: the nodes taken make way for their children; those closed will not be
   tried again, so that nothing below them need be told apart.
   grain: one row per node, attribute and code
   in: before (table: the cuts so far), paths, decided(node, candidate, taken), table
   out: table <table>(node, attribute, code, level, closed, part, lost, reach, finest) #}
CREATE TABLE {{ table | ident }} AS
SELECT
    b.node, b.attribute, b.code, p.level,
    b.closed OR COALESCE(d.taken, 1) = 0 AS closed,
    p.part, p.lost,
    CASE WHEN b.closed OR COALESCE(d.taken, 1) = 0 THEN p.up ELSE b.code END AS reach,
    p.lost AS finest
FROM {{ before | ident }} AS b
LEFT JOIN decided AS d ON d.node = b.node AND d.candidate = b.part
JOIN paths AS p ON p.attribute = b.attribute AND p.code = b.code
    AND p.level = b.level - COALESCE(d.taken, 0)
