{# Full-domain nodes as cuts through every hierarchy.
   grain: one row per node, attribute and code
   in: paths, attributes, table, starts [(node, {index: level})]
   out: table <table>(node, attribute, code, level, closed, part, lost, reach, finest) #}
CREATE TABLE {{ table | ident }} AS
SELECT s.node, p.attribute, p.code, p.level, FALSE AS closed, p.part, p.lost, p.code AS reach,
    p.lost AS finest
FROM paths AS p
JOIN (
    VALUES
    {% for node, levels in starts %}
    {% set last_start = loop.last %}
    {% for a in attributes %}
        ({{ node | integer }}, #, {{ levels[a.index] | integer }})
        {% if not (loop.last and last_start) %}, {% endif +%}
    {% endfor %}
    {% endfor %}
) AS s (node, attribute, level) ON s.attribute = p.attribute AND s.level = p.level
