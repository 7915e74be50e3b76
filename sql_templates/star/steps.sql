{# All dimensions in one long table.
   grain: one row per attribute, level and code
   in: dim_<index>, attributes
   out: table steps(attribute, level, code, up: the code of the group at that level,
        loss: (leaves of the group - 1) / (leaves of the domain - 1), Iyengar's LM) #}
CREATE TABLE steps AS
{% for a in attributes %}
{% set outer_last = loop.last %}
{% for level in range(a.min_level, a.max_level + 1) %}
SELECT
    # AS attribute,
    {{ level | integer }} AS level,
    d.code,
    d.g{{ level | integer }} AS up,
    CAST(COALESCE(CAST(d.leaves{{ level | integer }} - 1 AS DOUBLE)
        / NULLIF(w#.leaves - 1, 0), 0) AS DOUBLE) AS loss
FROM dim_# AS d
CROSS JOIN (SELECT COUNT(DISTINCT x.g0) AS leaves FROM dim_# AS x) AS w#
{% if not (loop.last and outer_last) %}UNION ALL{% endif +%}
{% endfor %}
{% endfor %}
