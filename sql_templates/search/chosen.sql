{# The frequency set of one node by the codes of its attributes.
   grain: one row per group and combination of extra codes
   in: table, attributes, levels {index: level}, base, promise
   out: table <table>(c1 … cn, promise.extras, promise.weights) #}
CREATE TABLE {{ table | ident }} AS
SELECT
{% for a in attributes %}
    b.a#_{{ levels[a.index] | integer }} AS c#,
{% endfor %}
    {{ promise.extras | each('b.@,') }}
    {{ promise.weights | listed('CAST(SUM(b.@) AS BIGINT) AS @') }}
FROM base AS b
GROUP BY
{% for a in attributes %}
    b.a#_{{ levels[a.index] | integer }}{% if not loop.last %},{% endif +%}
{% endfor %}
    {{ promise.extras | each(', b.@') }}
