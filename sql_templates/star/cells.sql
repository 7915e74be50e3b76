{# The integer-coded fact table of the star schema, at the least levels the policy allows.
   grain: one row per distinct combination of group codes and coded values
   in: combinations, dim_<index>, attributes, values_<index> of the coded columns, coded, promise
       (its weights)
   out: table cells(c1 … cn: -2 for a value that the dimension table does not have, promise.extras,
       promise.weights); what the population alone has no value for is NULL #}
{% from 'star/macros.sql' import code %}
CREATE TABLE cells AS
SELECT
{% for a in attributes %}
    {{ code(a) }} AS c#,
{% endfor %}
    {{ coded | each('CASE WHEN t.n > 0 THEN COALESCE(v#.code, 0) END AS x#,') }}
    {{ promise.weights | listed('CAST(SUM(t.@) AS BIGINT) AS @') }}
FROM combinations AS t
{{ attributes | each('LEFT JOIN dim_# AS d# ON d#.value = t.q#') }}
{{ coded | each('LEFT JOIN values_# AS v# ON v#.value = t.q#') }}
GROUP BY
{% for a in attributes %}
    {{ code(a) }}{% if not loop.last %},{% endif +%}
{% endfor %}
    {{ coded | each(', CASE WHEN t.n > 0 THEN COALESCE(v#.code, 0) END') }}
