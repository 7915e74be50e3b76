{# A dimension as the workbench has it: codes without values.
   grain: one row per code of the attribute
   in: steps, a (attribute)
   out: table dim_<index>(code, g<level>: the code of its group at each level) #}
CREATE TABLE dim_# AS
SELECT
    s.code
{% for level in range(a.min_level, a.max_level + 1) %}
    , MAX(s.up) FILTER (WHERE s.level = {{ level | integer }}) AS g{{ level | integer }}
{% endfor %}
FROM steps AS s
WHERE s.attribute = #
GROUP BY s.code
