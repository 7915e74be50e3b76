{# C_1: the levels of each attribute's hierarchy.
   grain: one row per attribute and level
   out: table lattice.nodes_1(id, dim1, index1) #}
CREATE TABLE lattice.nodes_1 AS
SELECT CAST(ROW_NUMBER() OVER (ORDER BY a.dim, l.level) AS INTEGER) AS id, a.dim AS dim1,
    CAST(l.level AS INTEGER) AS index1
FROM lattice.attributes AS a, RANGE(a.min_level, a.max_level + 1) AS l (level)
