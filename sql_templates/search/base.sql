{# The cells with the code that each attribute has at each level, so that any frequency set is one
   GROUP BY of sums.
   grain: one row per cell
   in: cells, dim_<index>, attributes, promise
   out: table base(cell, a<index>_<level> …, promise.extras, promise.weights) #}
CREATE TABLE base AS
SELECT
    CAST(ROW_NUMBER() OVER () AS BIGINT) AS cell,
{% for a in attributes %}
{% for level in range(a.min_level, a.max_level + 1) %}
    d#.g{{ level | integer }} AS a#_{{ level | integer }},
{% endfor %}
{% endfor %}
    {{ (promise.extras + promise.weights) | idents('t') }}
FROM cells AS t
{{ attributes | each('JOIN dim_# AS d# ON d#.code = t.c#') }}
