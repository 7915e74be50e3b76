{# The values that every attribute has, in order: NULL first, numbers and dates in their own order, all others so that the
   leaves of every node of the hierarchy lie together.
   grain: one row per attribute and code of a cell
   in: cells, dim_<index>, attributes
   out: table places(attribute, code, place: from 1, word: its rank in a set, x: nothing, leaves, present: one, label) #}
CREATE TABLE places AS
{% for a in attributes %}
{% set i = a.index %}
SELECT
    {{ i | integer }} AS attribute,
    o.code,
    ROW_NUMBER() OVER (ORDER BY o.place NULLS FIRST) AS place,
    {% if a.sorts %}
    ROW_NUMBER() OVER (ORDER BY o.place NULLS FIRST) AS word,
    {% else %}
    ROW_NUMBER() OVER (ORDER BY o.v0 COLLATE "C" NULLS FIRST, o.code NULLS FIRST) AS word,
    {% endif %}
    CAST(NULL AS DOUBLE) AS x,
    1 AS leaves,
    1 AS present,
    o.v0 AS label
FROM (SELECT DISTINCT c.c{{ i | integer }} AS code FROM cells AS c) AS u
JOIN (
    {% include 'single/ordered.sql' %}
) AS o ON o.code = u.code
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
