{# The cells, numbered, with their codes and losses at every level that may be released.
   grain: one row per cell (and promise.extras)
   in: cells, dim_<index>, attributes, promise, shares {index: what losing the attribute wholly
       costs a row, in billionths of the row's whole loss}, into
   out: table <into>(cell: the same for equal codes, promise.extras, promise.weights, for each level
       g<i>_<level> and w<i>_<level>, the loss there in billionths) #}
CREATE TABLE {{ into | ident }} AS
SELECT
    DENSE_RANK() OVER (ORDER BY {{ attributes | listed('t.c# NULLS FIRST') }}) AS cell,
    {{ (promise.extras + promise.weights) | idents('t') }}
{% for a in attributes %}
    {% for level in range(a.min_level, a.max_level + 1) %}
    , d#.g{{ level | integer }} AS g#_{{ level | integer }}
    , CAST(FLOOR(
        CAST(d#.leaves{{ level | integer }} - 1 AS DOUBLE) * {{ shares[a.index] | integer }}
        / GREATEST(z#.leaves - 1, 1) + 0.5
    ) AS BIGINT) AS w#_{{ level | integer }}
    {% endfor %}
{% endfor %}
FROM cells AS t
{{ attributes | each('JOIN dim_# AS d# ON d#.code = t.c#') }}
{{ attributes | each('CROSS JOIN (SELECT COUNT(DISTINCT x.g0) AS leaves FROM dim_# AS x) AS z#') }}
