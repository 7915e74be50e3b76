{# What lies at the end of each path, at every level, and at a level above the greatest, which
   stands for an attribute that is left out. A group is named by the code of one of its members,
   whose path is that of all as far as the group.
   grain: one row per attribute, level and group of that level
   in: steps, code_paths, attributes, keys, levels: rows of (attribute, level, mask of each key)
   out: table path_steps(attribute, level, keys, code: of the group, loss) #}
CREATE TABLE path_steps AS
SELECT
    s.attribute,
    s.level,
    {% for key in keys %}
    p.{{ key | ident }} & CAST(m.{{ key | ident }} AS BIGINT) AS {{ key | ident }},
    {% endfor %}
    s.up AS code,
    s.loss
FROM steps AS s
JOIN (VALUES {{ levels | rows }}) AS m (attribute, level, {{ keys | idents }})
    ON m.attribute = s.attribute AND m.level = s.level
JOIN code_paths AS p ON p.attribute = s.attribute AND p.code = s.code
WHERE s.code = s.up
{% for a in attributes %}
UNION ALL
SELECT
    # AS attribute,
    {{ (a.max_level + 1) | integer }} AS level,
    {% for key in keys %}
    CAST(0 AS BIGINT) AS {{ key | ident }},
    {% endfor %}
    CAST(NULL AS INTEGER) AS code,
    CAST(0 AS DOUBLE) AS loss
{% endfor %}
