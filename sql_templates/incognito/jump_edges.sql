{# Direct generalizations among candidates over all attributes: one attribute one level higher.
   grain: one row per pair of candidates
   in: size, lattice.nodes_<size>
   out: table lattice.edges_<size>("start", "end") #}
CREATE TABLE lattice.edges_{{ size | integer }} AS
{% for raised in range(1, size + 1) %}
SELECT p.id AS "start", q.id AS "end"
FROM lattice.nodes_{{ size | integer }} AS p
JOIN lattice.nodes_{{ size | integer }} AS q
    ON q.index{{ raised | integer }} = p.index{{ raised | integer }} + 1
{% for other in range(1, size + 1) if other != raised %}
    AND q.index{{ other | integer }} = p.index{{ other | integer }}
{% endfor %}
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
