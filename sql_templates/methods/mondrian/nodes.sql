{# The lowest common ancestor of every part's values, of the attributes that are released as one.
   grain: one row per part and attribute, of more than one value
   in: settled, final_parts, places, dim_<index>, attributes, forms
   out: table part_nodes(part, attribute, level, code: of one of the values) #}
CREATE TABLE part_nodes AS
{% for a in attributes if forms[a.index] == 'node' %}
SELECT
    u.part,
    # AS attribute,
    CASE
        {{ range(a.min_level + 1, a.max_level) | each('WHEN MIN(d.g#) = MAX(d.g#) THEN #') }}
        WHEN TRUE THEN {{ a.max_level | integer }}
    END AS level,
    MIN(t.code) AS code
FROM (
    SELECT DISTINCT s.part, s.p# AS place
    FROM settled AS s
    JOIN final_parts AS p ON p.part = s.part
    WHERE p.hi# > p.lo#
) AS u
JOIN places AS t ON t.attribute = # AND t.place = u.place
JOIN dim_# AS d ON d.code = t.code
GROUP BY u.part
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
