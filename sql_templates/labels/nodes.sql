{# The labels of hierarchies that list their leaves, at the levels that are asked for.
   grain: one row per hierarchy, level and label
   in: trees (number, levels, points: whether the leaves are read as numbers or moments)
   out: table labels_nodes(tree, level, label, leaves, nulls among them, and where all leaves are
       numbers, or moments, the least and the greatest) #}
{% from 'labels/macros.sql' import number_of, moment_of, digits_of %}
CREATE OR REPLACE TABLE labels_nodes AS
{% if not trees %}
SELECT
    0 AS tree, 0 AS level, '' AS label, 0 AS leaves, 0 AS nulls,
    CAST(NULL AS DOUBLE) AS lo_number, CAST(NULL AS DOUBLE) AS hi_number,
    CAST(NULL AS BIGINT) AS lo_moment, CAST(NULL AS BIGINT) AS hi_moment,
    CAST(NULL AS VARCHAR) AS digits
WHERE FALSE
{% endif %}
{% for each in trees %}
{% set tree = 'labels_tree_' ~ each.number %}
{% for level in each.levels %}
SELECT
    {{ each.number | integer }} AS tree,
    {{ level | integer }} AS level,
    g.{{ ('l' ~ level) | ident }} AS label,
    COUNT(*) AS leaves,
    COUNT(*) - COUNT(g.l0) AS nulls,
    {% if each.points %}
    CASE WHEN COUNT(g.number) = COUNT(*) THEN MIN(g.number) END AS lo_number,
    CASE WHEN COUNT(g.number) = COUNT(*) THEN MAX(g.number) END AS hi_number,
    CASE WHEN COUNT(g.moment) = COUNT(*) THEN MIN(g.moment) END AS lo_moment,
    CASE WHEN COUNT(g.moment) = COUNT(*) THEN MAX(g.moment) END AS hi_moment,
    CASE WHEN COUNT(*) = 1 THEN MIN(g.digits) END AS digits
    {% else %}
    NULL AS lo_number, NULL AS hi_number, NULL AS lo_moment, NULL AS hi_moment,
    NULL AS digits
    {% endif %}
FROM (
    {% if each.points %}
    SELECT
        p.*,
        {{ moment_of(['p', 'l0']) }} AS moment,
        {{ digits_of(['p', 'number'], ['p', 'l0']) }} AS digits
    FROM (SELECT t.*, {{ number_of(['t', 'l0']) }} AS number FROM {{ tree | ident }} AS t) AS p
    {% else %}
    SELECT t.* FROM {{ tree | ident }} AS t
    {% endif %}
) AS g
GROUP BY g.{{ ('l' ~ level) | ident }}
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
