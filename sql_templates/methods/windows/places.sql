{# The values of every attribute in the order in which rows are sorted, as
   methods/refinement/ordered has it:
   NULL first, numbers and dates in their own, leaves of a hierarchy that is given one by one with
   siblings side by side, other text byte by byte.
   grain: one row per attribute and code of a cell
   in: cells, dim_<index>, nodes, attributes
   out: table places(attribute, code, place: from 1, word: its rank in the alphabet, leaves,
       present: those under it, label) #}
CREATE TABLE places AS
{% for a in attributes %}
SELECT
    # AS attribute,
    d.code,
    ROW_NUMBER() OVER (
        ORDER BY
            CASE WHEN d.code = 0 THEN 0 ELSE 1 END NULLS FIRST,
            {% if a.sorts %}
            {% elif a.leaves %}
            {{ range(a.height, a.min_level, -1) | each('d.g# NULLS FIRST,') }}
            {% elif a.column.kind == 'text' %}
            d.v{{ a.min_level | integer }} COLLATE "C" NULLS FIRST,
            {% endif %}
            d.code NULLS FIRST
    ) AS place,
    ROW_NUMBER() OVER (ORDER BY d.v{{ a.min_level | integer }} COLLATE "C" NULLS FIRST,
        d.code NULLS FIRST) AS word,
    t.leaves, t.present,
    d.v{{ a.min_level | integer }} AS label
FROM (SELECT DISTINCT c.c# AS code FROM cells AS c) AS u
JOIN dim_# AS d ON d.code = u.code
JOIN nodes AS t
    ON t.attribute = # AND t.level = {{ a.min_level | integer }} AND t.code = d.code
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
