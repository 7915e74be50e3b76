{# What lies at the end of each path, at every level, and at a level above the greatest, which
   stands for an attribute that is left out.
   grain: one row per attribute, level and group of that level
   in: steps, code_paths, attributes, keys, levels [(attribute, level, [(key, mask)])]
   out: table path_steps(attribute, level, keys, code: of the group, loss) #}
CREATE TABLE path_steps AS
{% for a, level, masks in levels %}
SELECT
    # AS attribute,
    {{ level | integer }} AS level,
    {% for key, mask in masks %}
    MIN(p.{{ key | ident }} & CAST({{ mask | integer }} AS BIGINT)) AS {{ key | ident }},
    {% endfor %}
    s.up AS code,
    MIN(s.loss) AS loss
FROM steps AS s
JOIN code_paths AS p ON p.attribute = s.attribute AND p.code = s.code
WHERE s.attribute = # AND s.level = {{ level | integer }}
GROUP BY s.up
UNION ALL
{% endfor %}
{% for a in attributes %}
SELECT
    # AS attribute,
    {{ (a.max_level + 1) | integer }} AS level,
    {% for key in keys %}
    CAST(0 AS BIGINT) AS {{ key | ident }},
    {% endfor %}
    CAST(NULL AS INTEGER) AS code,
    CAST(0 AS DOUBLE) AS loss
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
