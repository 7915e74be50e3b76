{# The cells, rolled up to the highest levels that may be released (max_level).
   grain: one row per combination of group codes at these levels and of promise.extras
   in: cells, dim_<index>, attributes, promise
   out: table tops(g1 … gn, promise.extras, promise.weights) #}
CREATE TABLE tops AS
SELECT
{% for a in attributes %}
    d#.g{{ a.max_level | integer }} AS g#,
{% endfor %}
    {{ promise.extras | each('t.@,') }}
    {{ promise.weights | listed('CAST(SUM(t.@) AS BIGINT) AS @') }}
FROM cells AS t
{{ attributes | each('JOIN dim_# AS d# ON d#.code = t.c#') }}
GROUP BY
{% for a in attributes %}
    d#.g{{ a.max_level | integer }}
    {% if promise.extras or not loop.last %},{% endif +%}
{% endfor %}
    {{ promise.extras | idents('t') }}
