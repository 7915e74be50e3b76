{# E_i from C_i and E_{i-1} (section 3.1.2): B generalizes A directly when their first parents are
   joined by an edge and the second parents are equal or joined too, or the other way round; less
   what follows from two such steps.
   grain: one row per pair of candidates
   in: size i, lattice.nodes_<i>, lattice.edges_<i-1>
   out: table lattice.edges_<i>("start", "end") #}
CREATE TABLE lattice.edges_{{ size | integer }} AS
WITH candidate_edges AS (
    SELECT p.id AS "start", q.id AS "end"
    FROM lattice.nodes_{{ size | integer }} AS p
    JOIN lattice.edges_{{ (size - 1) | integer }} AS e ON e."start" = p.parent1
    JOIN lattice.edges_{{ (size - 1) | integer }} AS f ON f."start" = p.parent2
    JOIN lattice.nodes_{{ size | integer }} AS q ON q.parent1 = e."end" AND q.parent2 = f."end"
    UNION
    SELECT p.id, q.id
    FROM lattice.nodes_{{ size | integer }} AS p
    JOIN lattice.edges_{{ (size - 1) | integer }} AS e ON e."start" = p.parent1
    JOIN lattice.nodes_{{ size | integer }} AS q ON q.parent1 = e."end" AND q.parent2 = p.parent2
    UNION
    SELECT p.id, q.id
    FROM lattice.nodes_{{ size | integer }} AS p
    JOIN lattice.edges_{{ (size - 1) | integer }} AS e ON e."start" = p.parent2
    JOIN lattice.nodes_{{ size | integer }} AS q ON q.parent2 = e."end" AND q.parent1 = p.parent1
)
SELECT d."start", d."end"
FROM candidate_edges AS d
EXCEPT
SELECT a."start", b."end"
FROM candidate_edges AS a
JOIN candidate_edges AS b ON a."end" = b."start"
