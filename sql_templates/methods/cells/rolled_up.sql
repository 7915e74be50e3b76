{# What is left of the cells, at a node.
   grain: one row per combination of group codes and promise.extras
   in: table (of cells), levels {index: level}, attributes, promise
   out: table rolled_up(g1 … gn, promise.extras, promise.weights) #}
CREATE TABLE rolled_up AS
SELECT
{% for a in attributes %}
    {% include 'methods/cells/code.sql' %} AS g{{ a.index | integer }},
{% endfor %}
    {{ promise.extras | each('t.@,') }}
    {{ promise.weights | listed('CAST(SUM(t.@) AS BIGINT) AS @') }}
FROM {{ table | ident }} AS t
GROUP BY
{% for a in attributes %}
    {% include 'methods/cells/code.sql' %}{% if promise.extras or not loop.last %},{% endif +%}
{% endfor %}
    {{ promise.extras | idents('t') }}
