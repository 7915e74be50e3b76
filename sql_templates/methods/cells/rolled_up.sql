{# What is left of the cells, at a node.
   grain: one row per combination of group codes and promise.extras
   in: table (of cells), levels {index: level}, attributes, promise
   out: table rolled_up(g1 … gn, promise.extras, promise.weights) #}
{% from 'methods/cells/macros.sql' import code %}
CREATE TABLE rolled_up AS
SELECT
{% for a in attributes %}
    {{ code(a, levels) }} AS g#,
{% endfor %}
    {{ promise.extras | each('t.@,') }}
    {{ promise.weights | listed('CAST(SUM(t.@) AS BIGINT) AS @') }}
FROM {{ table | ident }} AS t
GROUP BY
{% for a in attributes %}
    {{ code(a, levels) }}{% if promise.extras or not loop.last %},{% endif +%}
{% endfor %}
    {{ promise.extras | idents('t') }}
