{# What is left of the cells, at a node.
   grain: one row per combination of group codes and promise.extras
   in: table (of cells), levels {index: level}, attributes, promise
   out: table rolled_up(g1 … gn, promise.extras, promise.weights) #}
CREATE TABLE rolled_up AS
SELECT
{% for a in attributes %}
    {% include 'recoding/code.sql' %} AS g{{ a.index | integer }},
{% endfor %}
{% for extra in promise.extras %}
    t.{{ extra | ident }},
{% endfor %}
{% for weight in promise.weights %}
    CAST(SUM(t.{{ weight | ident }}) AS BIGINT) AS {{ weight | ident }}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ table | ident }} AS t
GROUP BY
{% for a in attributes %}
    {% include 'recoding/code.sql' %}{% if promise.extras or not loop.last %},{% endif +%}
{% endfor %}
    {{ promise.extras | idents('t') }}
