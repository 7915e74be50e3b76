{# The nodes of all hierarchies in one long table.
   grain: one row per attribute, level and group code, at the levels that may be released
   in: dim_<index>, attributes
   out: table nodes(attribute, level, code, leaves: under the node, present: those of them that the
        data has, domain: all leaves of the hierarchy) #}
{% from 'methods/groups/macros.sql' import present %}
CREATE TABLE nodes AS
{% for a in attributes %}
{% set outer_last = loop.last %}
{% for level in range(a.min_level, a.max_level + 1) %}
SELECT
    # AS attribute,
    {{ level | integer }} AS level,
    d.g{{ level | integer }} AS code,
    COUNT(*) AS leaves,
    COUNT(CASE WHEN {{ present(a) }} THEN 1 END) AS present,
    CAST(SUM(COUNT(*)) OVER () AS BIGINT) AS domain
FROM dim_# AS d
GROUP BY d.g{{ level | integer }}
{% if not (loop.last and outer_last) %}UNION ALL{% endif +%}
{% endfor %}
{% endfor %}
