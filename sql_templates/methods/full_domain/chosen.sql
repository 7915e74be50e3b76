{# The frequency set of one node by the codes of its attributes.
   grain: one row per group and combination of extra codes
   in: table, attributes, levels {index: level}, cells, dim_<index>, promise
   out: table <table>(c1 … cn, promise.extras, promise.weights) #}
CREATE TABLE {{ table | ident }} AS
SELECT
{% for a in attributes %}
    d#.g{{ levels[a.index] | integer }} AS c#,
{% endfor %}
    {{ promise.extras | each('t.@,') }}
    {{ promise.weights | listed('CAST(SUM(t.@) AS BIGINT) AS @') }}
FROM cells AS t
{{ attributes | each('JOIN dim_# AS d# ON d#.code = t.c#') }}
GROUP BY
{% for a in attributes %}
    d#.g{{ levels[a.index] | integer }}{% if not loop.last %},{% endif +%}
{% endfor %}
    {{ promise.extras | each(', t.@') }}
