{# E_1: each level to the one above.
   out: table lattice.edges_1("start", "end") #}
CREATE TABLE lattice.edges_1 AS
SELECT p.id AS "start", q.id AS "end"
FROM lattice.nodes_1 AS p
JOIN lattice.nodes_1 AS q ON q.dim1 = p.dim1 AND q.index1 = p.index1 + 1
